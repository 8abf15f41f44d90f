import fc from "fast-check";
import { defineResource, type Principal } from "restwright";
import { bearer } from "restwright/auth";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { KeptQueries } from "../../../../src/engine/resource/read/keptQueries.js";
import type { Gate } from "../../../../src/language/schema/access.js";
import { clientOf, type Received } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

const isAdmin = ({ id }: Principal) => id === "admin";

const staff = defineResource("staff", {
  schema: z.object({ id: z.int(), name: z.string(), salary: z.int().default(0), team: z.string().default("a"), note: z.string().optional() }),
  generated: { id: "increment" },
  access: { salary: { read: isAdmin, write: true }, note: { read: true, sort: isAdmin, onForbidden: "403" } },
});

async function withStaff(options: Partial<FullServiceOptions> = {}) {
  const auth = [bearer((token) => ({ id: token }))];
  const send = clientOf(
    fullService({ resources: [staff], storage: memoryStorage(), auth, secrets: ["a secret of at least sixteen bytes"], ...options }),
  );
  const as = (who: string, target: string): Promise<Received> => send({ method: "GET", target, headers: { authorization: `Bearer ${who}` } });
  for (let id = 1; id <= 9; id++) {
    const body = { name: `n${id % 4}`, salary: id * 100, team: "abc"[id % 3], note: `note ${id}` };
    await send({ method: "POST", target: "/staff", body, headers: { authorization: "Bearer admin" } });
  }
  return as;
}

const idsOf = ({ json }: Received) => (json as { data?: { id: number }[] }).data?.map(({ id }) => id);

describe("a list that is asked again", () => {
  test("has the rights of who asks, also after others have asked the same", async () => {
    const as = await withStaff();
    for (let time = 0; time < 4; time++) {
      const shown = await as("admin", "/staff?salary[gte]=500&fields=id,salary&sort=id");
      expect(shown.json).toMatchObject({ data: [5, 6, 7, 8, 9].map((id) => ({ id, salary: id * 100 })) });
      expect((await as("clerk", "/staff?salary[gte]=500&fields=id,salary&sort=id")).status).not.toBe(200);
      expect((await as("clerk", "/staff?sort=-note")).status).toBe(403);
      expect((await as("admin", "/staff?sort=-note")).status).toBe(200);
      expect((await as("clerk", "/staff")).json).toMatchObject({
        data: expect.not.arrayContaining([expect.objectContaining({ salary: expect.anything() })]),
      });
    }
  });

  test("obeys a rule that has changed its mind, at once", async () => {
    let isOpen = true;
    const rows = defineResource("rows", {
      schema: z.object({ id: z.int(), name: z.string() }),
      generated: { id: "increment" },
      access: { name: { read: () => isOpen, write: true } },
    });
    const as = await withStaff({ resources: [rows, staff] });
    for (const open of [true, true, true, false, true, false, false]) {
      isOpen = open;
      expect((await as("ann", "/rows?name=x")).status).toBe(open ? 200 : 403);
    }
  });

  test("shows what authorize narrows it to", async () => {
    const as = await withStaff({ authorize: ({ principal }) => (principal.id === "guest" ? { fields: ["id", "team"] } : true) });
    for (let time = 0; time < 3; time++) {
      expect((await as("clerk", "/staff?sort=id&perPage=1")).json).toMatchObject({ data: [{ id: 1, name: "n1", team: "b", note: "note 1" }] });
      expect((await as("guest", "/staff?sort=id&perPage=1")).json).toMatchObject({ data: [{ id: 1, team: "b" }] });
      expect((await as("guest", "/staff?name=n1")).status).not.toBe(200);
      expect((await as("clerk", "/staff?name=n1")).status).toBe(200);
    }
  });

  test.each(["sort=id&perPage=2&cursor=", "cursor=&perPage=2", "perPage=2&fields=id&cursor="])("goes on at each cursor: %s", async (query) => {
    const as = await withStaff();
    const found: number[][] = [];
    let next = (await as("admin", `/staff?${query.replace(/&?cursor=&?/, "")}`)).json as {
      data: { id: number }[];
      meta: { nextCursor: string | null };
    };
    for (let page = 0; page < 5; page++) {
      found.push(next.data.map(({ id }) => id));
      if (next.meta.nextCursor === null) break;
      next = (await as("admin", `/staff?${query.replace("cursor=", `cursor=${next.meta.nextCursor}`)}`)).json as typeof next;
    }
    expect(found).toEqual([[1, 2], [3, 4], [5, 6], [7, 8], [9]]);
  });

  test("refuses a cursor without a text, two cursors, another one, and one beside a page, after it was asked with one", async () => {
    const as = await withStaff();
    const { json } = await as("admin", "/staff?sort=id&perPage=2");
    const { nextCursor: cursor } = (json as { meta: { nextCursor: string } }).meta;
    for (let time = 0; time < 3; time++) {
      expect(idsOf(await as("admin", `/staff?sort=id&perPage=2&cursor=${cursor}`))).toEqual([3, 4]);
      const refused = ["cursor=", "cursor", `cursor=${cursor}&cursor=${cursor}`, "cursor=abc.def", `cursor=${cursor}&page=2`, `cursor=${cursor}%00`];
      for (const part of refused) expect([part, (await as("admin", `/staff?sort=id&perPage=2&${part}`)).status]).toEqual([part, 400]);
      expect(idsOf(await as("admin", "/staff?sort=id&perPage=2"))).toEqual([1, 2]);
    }
  });

  test("means what it meant, whatever was asked between", async () => {
    const as = await withStaff();
    const part = fc.constantFrom(
      ...[
        "team=a",
        "team[in]=a,b",
        "name[like]=n*",
        "salary[gt]=300",
        "q=n",
        "sort=-id",
        "sort=name,-id",
        "sort=salary",
        "fields=id,team",
        "fields=salary",
      ],
      ...["exclude=note", "page=2", "perPage=3", "count=none", "count=exact", "perPage=0", "unknown=1", "team=", "note[has]=1", "has=note"],
    );
    const asked = fc.record({
      who: fc.constantFrom("admin", "clerk"),
      target: fc.uniqueArray(part, { maxLength: 4 }).map((parts) => `/staff?${parts.join("&")}`),
    });
    const ask = async (asAny: typeof as, { who, target }: { who: string; target: string }) => {
      const { status, json } = await asAny(who, target);
      return { status, json: status === 200 ? json : { ...(json as object), requestId: undefined, instance: undefined } };
    };
    await fc.assert(
      fc.asyncProperty(fc.array(asked, { minLength: 1, maxLength: 4 }), async (requests) => {
        // One that was never asked anything.
        const expected = await Promise.all(requests.map(async (request) => ask(await withStaff(), request)));
        for (let time = 0; time < 3; time++)
          for (const [index, request] of requests.entries()) expect(await ask(as, request)).toEqual(expected[index]);
      }),
      { numRuns: propertyRuns(15) },
    );
  });
});

describe("kept queries", () => {
  const open: Gate = () => "allowed";

  /** How often a text was parsed of so many times that it was asked. */
  function parses(text: string, isPlain: boolean): number {
    const kept = new KeptQueries<{ isPlain: boolean }>();
    let times = 0;
    for (let time = 0; time < 10; time++)
      kept.parse(text, open, () => {
        times += 1;
        return { isPlain };
      });
    return times;
  }

  test.each([
    ["a text that is asked again and again", "team=a", true, 2],
    ["one with credentials", "team=a&token=t", false, 10],
    ["a long one", `team=${"a".repeat(1_024)}`, true, 10],
  ] as const)("%s is parsed so many times", (_, text, isPlain, times) => {
    expect(parses(text, isPlain)).toBe(times);
  });

  test("do not keep an error", () => {
    const kept = new KeptQueries<{ isPlain: boolean }>();
    const refuse = () => {
      throw new Error("refused");
    };
    for (let time = 0; time < 3; time++) expect(() => kept.parse("team=a", open, refuse)).toThrow("refused");
    expect(kept.parse("team=a", open, () => ({ isPlain: true }))).toEqual({ isPlain: true });
  });
});
