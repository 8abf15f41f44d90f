import { ConfigurationError, createService, defineResource } from "restwright";
import { batch } from "restwright/batch";
import { jobs } from "restwright/jobs";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";

/** Calls as a program in JavaScript may, which no compiler has looked at. */
const call = (made: (...values: never[]) => unknown, ...values: readonly unknown[]): unknown => Reflect.apply(made, undefined, values);

const schema = z.object({ id: z.int(), name: z.string() });
const users = defineResource("users", { schema, generated: { id: "increment" } });
const service = (more: object) => call(createService, { resources: [users], storage: memoryStorage(), ...more });
const resource = (more: object) => call(defineResource, "users", { schema, generated: { id: "increment" }, ...more });

describe("an option that is misspelled or invalid is refused when the service is made", () => {
  test.each<[string, object]>([
    ['createService has no option "authorise"; did you mean "authorize"? There are: resources, storage,', { authorise: () => false }],
    ['createService: "use[0]" must be a capability, such as batch() of "restwright/batch"; got a function.', { use: [jobs] }],
    ['createService: "use" must be an array of capabilities', { use: batch() }],
    ['createService: "anonymous" must be "refuse" or "allow"; got "deny".', { anonymous: "deny" }],
    ['createService: "idempotency" has no option "ttl"; did you mean "ttlMs"?', { idempotency: { ttl: 5 } }],
    ['createService: "limits.offset" must be a whole number of at least 1; got 1.5.', { limits: { offset: 1.5 } }],
    ['createService: "auth[0]" must be a verifier, such as bearer(…); got an object.', { auth: [{ scheme: "Bearer" }] }],
    ['createService has no option "resource"; did you mean "resources"?', { resources: undefined, resource: [users] }],
    ['createService: "resources" must be an array of resources; got undefined.', { resources: undefined }],
    ['createService: "resources[0]" must be a resource made by defineResource; got an object.', { resources: [schema] }],
    ['createService: "probes" has no option "heath"; did you mean "health"?', { probes: { heath: "/health" } }],
  ])("%s", (message, options) => {
    expect(() => service(options)).toThrow(message);
    expect(() => service(options)).toThrow(ConfigurationError);
  });

  test.each<[string, (options: never) => unknown, unknown]>([
    ['jobs has no option "concurency"; did you mean "concurrency"?', jobs, { concurency: 4 }],
    ['jobs: "concurrency" must be a whole number of at least 1; got -1.', jobs, { concurrency: -1 }],
    ["jobs must be an object with options; got true.", jobs, true],
    ['batch: "mode" must be "best-effort" or "atomic"; got "all".', batch, { mode: "all" }],
  ])("%s", (message, capability, options) => {
    expect(() => call(capability, options)).toThrow(message);
    expect(() => call(capability, options)).toThrow(ConfigurationError);
  });

  test("close takes its options as strictly", async () => {
    const made = createService({ resources: [users], storage: memoryStorage() });
    for (const options of [{ graceMS: 5 }, { graceMs: -1 }]) expect(() => call(made.close as never, options)).toThrow(ConfigurationError);
    await made.close({ graceMs: 0 });
  });

  test.each<[string, object]>([
    ['defineResource("users") has no option "acces"; did you mean "access"?', { acces: { name: { read: false } } }],
    ['defineResource("users"): "access.name" has no option "raed"; did you mean "read"?', { access: { name: { raed: false } } }],
    ['defineResource("users"): "batch" has no option "mod"; did you mean "mode"?', { batch: { mod: "atomic" } }],
    ['defineResource("users"): "batch.maxItems" must be a whole number of at least 1; got -5.', { batch: { maxItems: -5 } }],
    ['defineResource("users"): "operations[1]" must be "list" or "read" or', { operations: ["list", "raed"] }],
    [
      'defineResource("users"): "relations.pets" has no option "filter"; there are: kind, collection, foreignKey.',
      {
        relations: { pets: { kind: "hasMany", collection: "pets", foreignKey: "ownerId", filter: ["name"] } },
      },
    ],
    [
      'defineResource("users"): "events.user.created.on" must be "create", "update", "remove" or an array',
      { events: { "user.created": { on: "make" } } },
    ],
    ['defineResource("users") has no option "scpoe"; did you mean "scope"?', { scpoe: () => true }],
    ['defineResource("users"): "scope" must be a function; got an object.', { scope: { ownerId: 1 } }],
    ['defineResource("users") has no option "stmp"; did you mean "stamp"?', { stmp: { name: () => "Ada" } }],
    ['defineResource("users"): "stamp.name" must be a function, or { on: "write", set }; got "Ada".', { stamp: { name: "Ada" } }],
    ['defineResource("users"): "stamp.name.on" must be "write"', { stamp: { name: { on: "create", set: () => "Ada" } } }],
    ['users: "stamp" names "nmae"', { stamp: { nmae: () => "Ada" } }],
    ['users: "stamp" names "id", which is the id.', { generated: {}, stamp: { id: () => 1 } }],
    ['users: "stamp" names "name", which is generated.', { generated: { name: "ulid" }, stamp: { name: () => "Ada" } }],
    ['defineResource("users"): "schema" must be a z.object schema; got an object.', { schema: z.string() }],
  ])("%s", (message, options) => {
    expect(() => resource(options)).toThrow(message);
    expect(() => resource(options)).toThrow(ConfigurationError);
  });

  test("and a secret is not repeated", () => {
    expect(() => service({ secrets: "correct horse battery staple" })).toThrow('"secrets" must be an array of texts; got a text.');
  });

  test("while an option that is undefined is left out", () => {
    expect(() => service({ use: undefined, limits: { perPage: undefined }, lists: { overflow: undefined } })).not.toThrow();
    expect(() => resource({ access: { name: undefined }, batch: undefined, filter: { name: undefined } })).not.toThrow();
  });
});
