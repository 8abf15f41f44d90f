import { createService, defineResource, type Service } from "restwright";
import { expect, test } from "vitest";
import { z } from "zod";
import { describeInStorages } from "../../tools/storage/describeInStorages.js";

/** The release that wrote the rows. */
const before = defineResource("items", {
  schema: z.object({ id: z.int(), meta: z.looseObject({}).nullable(), code: z.string() }),
  generated: { id: "increment" },
});

const schema = z.object({
  id: z.int(),
  code: z.string(),
  meta: z
    .object({
      a: z.int(),
      level: z.int().default(3),
      size: z.string().default("M"),
      isOpen: z.boolean().default(true),
      tags: z.array(z.string()).default(["new"]),
      limits: z.object({ max: z.int().default(10), unit: z.string().default("kg") }).default({ max: 10, unit: "kg" }),
      share: z.number().nullable().default(0.1),
    })
    .nullable(),
});

const after = defineResource("items", { schema, generated: { id: "increment" } });
const indexed = defineResource("items", {
  schema,
  generated: { id: "increment" },
  index: ["meta.level", "meta.size", ["meta.isOpen", "meta.level"], "meta.limits.max"],
  search: ["meta.size"],
});

/** The stored objects; ids follow this order. The letters are what a list shows. */
const stored = [
  { code: "a", meta: { a: 1 } },
  { code: "b", meta: { a: 2, level: 5, size: "XL", isOpen: false, tags: [], limits: { max: 1, unit: "g" }, share: 0.5 } },
  { code: "c", meta: null },
  { code: "d", meta: { a: 4, level: 1, size: "S", isOpen: true, tags: ["x"], limits: {} } },
  { code: "e", meta: { a: 5, level: 3, size: "M", share: null } },
  { code: "f", meta: { a: 6, limits: { max: 99, unit: "t" } } },
  { code: "g", meta: { a: 7, level: 3, isOpen: false, limits: { max: 10 } } },
];

const filters: readonly (readonly [string, string])[] = [
  ["meta.level=3", "aefg"],
  ["meta.level=5", "b"],
  ["meta.level!=3", "bcd"],
  ["meta.level[gte]=3", "abefg"],
  ["meta.level[lt]=3", "d"],
  ["meta.level[lte]=3", "adefg"],
  ["meta.level[in]=1,3", "adefg"],
  ["meta.level[nin]=1,3", "bc"],
  ["meta.level[exists]=true", "abdefg"],
  ["meta.level[exists]=false", "c"],
  ["meta.size=M", "aefg"],
  ["meta.size[like]=m*", "aefg"],
  ["meta.size[like]=*l", "b"],
  ["meta.isOpen=true", "adef"],
  ["meta.isOpen=false", "bg"],
  ["meta.tags=new", "aefg"],
  ["meta.tags=x", "d"],
  ["meta.tags[exists]=false", "c"],
  ["meta.limits.max=10", "adeg"],
  ["meta.limits.max[gt]=10", "f"],
  ["meta.limits.unit=kg", "adeg"],
  ["meta.share=0.1", "adfg"],
  ["meta.share[exists]=false", "ce"],
];

const orders: readonly (readonly [string, string])[] = [
  ["meta.level", "cdaefgb"],
  ["-meta.level", "bgfeadc"],
  ["meta.size", "caefgdb"],
  ["-meta.size", "bdgfeac"],
  ["meta.isOpen,id", "cbgadef"],
  ["-meta.isOpen,-meta.level,id", "aefdbgc"],
  ["meta.limits.max", "cbadegf"],
  ["-meta.limits.max", "fgedabc"],
  ["-meta.limits.unit,code", "fadegbc"],
  ["meta.share", "ceadfgb"],
  ["code,-meta.level", "abcdefg"],
  ["-meta.level,code", "baefgdc"],
];

async function send(service: Service, path: string, body?: unknown) {
  const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  const response = await service.fetch(new Request(`http://host.test${path}`, init));
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const codes = (rows: readonly { readonly code: string }[]) => rows.map(({ code }) => code).join("");

describeInStorages("members that are new with a default", async (open) => {
  let found: Promise<Readonly<Record<string, Service>>> | undefined;
  const stage = () => {
    found ??= prepare();
    return found;
  };

  async function prepare() {
    const { storage } = await open();
    const serviceOf = async (resource: Parameters<typeof createService>[0]["resources"][number]) => {
      const service = createService({ storage, resources: [resource], logger: false });
      await service.start();
      return service;
    };
    const old = await serviceOf(before);
    for (const row of stored) expect((await send(old, "/items", row)).status).toBe(201);
    return { plain: await serviceOf(after), indexed: await serviceOf(indexed) };
  }

  const releases = ["plain", "indexed"] as const;

  test.each(releases)("are shown with it (%s)", async (release) => {
    const { [release]: service } = await stage();
    const shown = (await send(service as Service, "/items")).body.data;
    expect(shown[0].meta).toEqual({ a: 1, level: 3, size: "M", isOpen: true, tags: ["new"], limits: { max: 10, unit: "kg" }, share: 0.1 });
    expect(shown[3].meta.limits).toEqual({ max: 10, unit: "kg" });
    expect(shown[4].meta.share).toBe(null);
  });

  test.each(releases.flatMap((release) => filters.map(([filter, expected]) => [release, filter, expected] as const)))(
    "are found by it (%s: %s)",
    async (release, filter, expected) => {
      const { [release]: service } = await stage();
      const { status, body } = await send(service as Service, `/items?${filter}`);
      expect([status, status === 200 ? codes(body.data) : body]).toEqual([200, expected]);
    },
  );

  test.each(releases.flatMap((release) => orders.map(([sort, expected]) => [release, sort, expected] as const)))(
    "are sorted by it, with cursors in both directions (%s: %s)",
    async (release, sort, expected) => {
      const { [release]: service } = await stage();
      const list = async (query: string) => {
        const { status, body } = await send(service as Service, `/items?sort=${sort}${query}`);
        expect(status === 200 ? 200 : body).toBe(200);
        return body;
      };
      expect(codes((await list("")).data)).toBe(expected);
      for (const perPage of [1, 2, 3]) {
        const pages: string[] = [];
        let page = await list(`&perPage=${perPage}`);
        for (pages.push(codes(page.data)); page.meta.nextCursor !== null; pages.push(codes(page.data))) {
          page = await list(`&perPage=${perPage}&cursor=${page.meta.nextCursor}`);
        }
        expect(pages.join("")).toBe(expected);
        const back: string[] = [];
        while (page.meta.prevCursor !== null) {
          page = await list(`&perPage=${perPage}&cursor=${page.meta.prevCursor}`);
          back.unshift(codes(page.data));
        }
        expect(back.join("")).toBe(pages.slice(0, -1).join(""));
      }
    },
  );

  test("are searched by it", async () => {
    const { indexed: service } = await stage();
    expect(codes((await send(service as Service, "/items?q=m")).body.data)).toBe("aefg");
  });
});
