import { ConfigurationError, createService, defineResource } from "restwright";
import { createClient } from "restwright/client";
import { memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { z } from "zod";

const things = defineResource("things", { schema: z.object({ id: z.int() }), generated: { id: "increment" } });

/** What both have in common. The compiler chooses no form of a call for two types at once. */
interface Lists {
  list(
    options: object,
  ): Promise<{ readonly data: readonly { readonly id: number }[]; readonly meta: { readonly page: unknown; readonly total: unknown } }>;
}

async function open(): Promise<Readonly<Record<"code" | "client", Lists>>> {
  const service = createService({ resources: [things], storage: memoryStorage(), logger: false });
  onTestFinished(() => service.close());
  for (let number = 1; number <= 7; number += 1) await service.asSystem().things.create({});
  return { code: service.asSystem().things, client: createClient<typeof service>({ baseUrl: "http://things.test", fetch: service.fetch }).things };
}

describe.each(["code", "client"] as const)("A list by offset and limit, from %s,", (way) => {
  test.each([
    [{ offset: 0, limit: 3 }, [1, 2, 3], 1],
    [{ offset: 3, limit: 3 }, [4, 5, 6], 2],
    [{ offset: 6, limit: 3 }, [7], 3],
    [{ offset: 9, limit: 3 }, [], 4],
    [{ limit: 2 }, [1, 2], 1],
    [{ offset: undefined, limit: undefined }, [1, 2, 3, 4, 5, 6, 7], 1],
  ])("has the rows of a page: %j", async (options, ids, page) => {
    const { [way]: calls } = await open();
    const { data, meta } = await calls.list(options);
    expect([data.map(({ id }) => id), meta.page, meta.total]).toEqual([ids, page, 7]);
  });

  test.each([
    [{ offset: 1, limit: 3 }, '"offset" is 1, but must be a multiple of "limit", 3, without "page", "perPage" and "cursor".'],
    [{ offset: -3, limit: 3 }, '"offset"'],
    [{ offset: 3 }, '"limit"'],
    [{ limit: 0 }, '"limit"'],
    [{ limit: 1.5 }, '"limit"'],
    [{ limit: 3, page: 2 }, 'without "page"'],
    [{ limit: 3, perPage: 3 }, 'without "page", "perPage"'],
    [{ offset: 0, limit: 3, cursor: "a" }, '"cursor"'],
  ])("is refused if it is no page: %j", async (options, message) => {
    const { [way]: calls } = await open();
    const error = await calls.list(options).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(way === "code" ? ConfigurationError : TypeError);
    expect(String(error)).toContain(message);
  });
});
