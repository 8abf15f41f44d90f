import { belongsTo, ConfigurationError, createService, defineResource, hasMany, type ResourceOptions } from "restwright";
import { bearer } from "restwright/auth";
import { cache, type ResourceCache } from "restwright/cache";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const schema = z.object({ id: z.int(), title: z.string(), makerId: z.int().optional() });
type More = Partial<ResourceOptions<typeof schema>>;
const auth = [bearer(() => null)];

function start(rule: ResourceCache, more: More = {}, verifiers = auth) {
  const products = defineResource("products", { schema, generated: { id: "increment" }, cache: rule, ...more });
  const makers = defineResource("makers", {
    schema: z.object({ id: z.int() }),
    relations: more.relations ? {} : { products: hasMany("products", "makerId") },
  });
  createService({ resources: [products, makers], storage: memoryStorage(), auth: verifiers, use: [cache()], logger: false });
}

const refused: readonly (readonly [string, ResourceCache, RegExp, More?])[] = [
  ["a rule that contradicts itself", { public: true, private: true }, /products: cache: "private" and "public" contradict/],
  ["an unknown directive", { maxage: 1 } as ResourceCache, /products: cache has no option "maxage"; did you mean "maxAge"/],
  ["a time that is not whole", { maxAge: 0.5 }, /products: cache: "maxAge" must be a whole number/],
  ["an empty rule", {}, /there is no directive/],
  ["a rule without a time", { private: true }, /each cache guesses how long/],
  ["a rule that has no effect", { maxAge: 1 }, /neither "list" nor "read"/, { operations: ["create"] }],
  ["public without shared", { public: true, maxAge: 60 }, /"public" lets shared caches store .* say "shared: true"/],
  ["sMaxAge without shared", { maxAge: 60, sMaxAge: 60 }, /"sMaxAge" lets shared caches store/],
  ["sMaxAge of 0 without shared", { maxAge: 60, sMaxAge: 0 }, /"sMaxAge" lets shared caches store/],
  ["mustRevalidate without private or shared", { maxAge: 0, mustRevalidate: true }, /"mustRevalidate" lets .* otherwise "private: true"/],
  ["shared and private", { shared: true, private: true, maxAge: 1 }, /"shared" has no effect with "private"/],
  ["shared and noStore", { shared: true, noStore: true }, /"shared" has no effect with "noStore"/],
  ...(["read", "filter", "sort"] as const).map(
    (use) =>
      [
        `shared, and a rule that ${use}s by principal`,
        { shared: true, maxAge: 1 },
        /"title" is not the same for all/,
        { access: { title: { [use]: () => true } } },
      ] as const,
  ),
  [
    "shared, and a relation to what is not",
    { shared: true, maxAge: 1 },
    /products: the relation "maker" leads from a collection whose cache is shared to "makers"/,
    { relations: { maker: belongsTo("makers", "makerId") } },
  ],
];

describe("createService", () => {
  test.each(refused.map(([name, rule, message, more]) => ({ name, rule, message, more })))("refuses $name", ({ rule, message, more }) => {
    expect(() => start(rule, more)).toThrow(ConfigurationError);
    expect(() => start(rule, more)).toThrow(message);
  });

  test.each<ResourceCache>([
    { private: true, maxAge: 0, mustRevalidate: true },
    { maxAge: 60 },
    { noStore: true },
    { noCache: true },
    { shared: true, public: true, maxAge: 60, sMaxAge: 300, staleWhileRevalidate: 30 },
    { shared: true, public: true, noCache: true },
  ])("accepts %j", (rule) => {
    expect(() => start(rule)).not.toThrow();
  });

  test("accepts public rules of a service without verifiers, and rules of writes by principal", () => {
    expect(() => start({ public: true, maxAge: 60, sMaxAge: 300 }, {}, [])).not.toThrow();
    expect(() => start({ shared: true, maxAge: 1 }, { access: { title: { write: () => true } } })).not.toThrow();
  });

  test("refuses a foreign key to a shared collection, unless it is not enforced", () => {
    const products = defineResource("products", { schema, cache: { shared: true, maxAge: 1 } });
    const lines = (enforce: boolean | undefined) =>
      defineResource("lines", {
        schema: z.object({ id: z.int(), productId: z.int() }),
        relations: { product: belongsTo("products", "productId", { enforce }) },
      });
    const open = (enforce?: boolean) =>
      createService({ resources: [products, lines(enforce)], storage: memoryStorage(), use: [cache()], logger: false });
    expect(() => open()).toThrow(/lines: the relation "product" leads to "products", whose cache is shared: say "enforce: false"/);
    expect(() => open(false)).not.toThrow();
  });

  test("refuses a rule that nothing takes care of", () => {
    const products = defineResource("products", { schema, cache: { noStore: true } });
    expect(() => createService({ resources: [products], storage: memoryStorage() })).toThrow(
      'products: "cache" has no effect, as nothing in "use" takes care of it: add cache() of "restwright/cache" to "use" of createService.',
    );
    expect(() => defineResource("products", { schema, cache: "public" as ResourceCache })).toThrow(/"cache" must be an object with directives/);
  });

  test("refuses a relation that would show a closed collection to callers without credentials", () => {
    const makers = (anonymous?: "read") => defineResource("makers", { schema: z.object({ id: z.int() }), anonymous });
    const products = defineResource("products", { schema, anonymous: "read", relations: { maker: belongsTo("makers", "makerId") } });
    const open = (anonymous?: "read") => createService({ resources: [products, makers(anonymous)], storage: memoryStorage(), auth, logger: false });
    expect(() => open()).toThrow(/products: the relation "maker" shows "makers" to callers without credentials/);
    expect(() => open("read")).not.toThrow();
  });
});
