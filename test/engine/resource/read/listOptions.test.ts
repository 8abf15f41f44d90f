import { defineResource } from "restwright";
import { memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { clientOf } from "../../../tools/client.js";
import { type FullServiceOptions, fullService } from "../../../tools/fullService.js";

const events = defineResource("events", {
  schema: z.object({
    id: z.int(),
    at: z.date(),
    page: z.int().default(1),
    address: z.object({ city: z.string() }).optional(),
    address_city: z.string().optional(),
  }),
  generated: { id: "increment" },
  param: { page: "pageNumber" },
});

async function withEvents(lists: FullServiceOptions["lists"], logger?: FullServiceOptions["logger"]) {
  const send = clientOf(fullService({ resources: [events], storage: memoryStorage(), lists, logger }));
  for (const at of ["2026-03-28T22:59:59Z", "2026-03-28T23:00:00Z", "2026-03-29T21:59:59Z", "2026-03-29T22:00:00Z"]) {
    await send({ method: "POST", target: "/events", body: { at, page: 7 } });
  }
  return send;
}

describe("lists of a service", () => {
  test("envelope none: a bare array, an exact total and the links in headers", async () => {
    const send = await withEvents({ envelope: "none" });
    const list = await send({ target: "/events?perPage=3&fields=id" });
    expect(list.json).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    expect(list.headers["x-total-count"]).toBe("4");
    expect(list.headers["link"]).toContain('rel="next"');
    expect(list.headers["etag"]).toMatch(/^W\//);
  });

  test("ignoreParameters: these names mean nothing, others are still refused", async () => {
    const send = await withEvents({ ignoreParameters: ["utm_*", "_"] });
    expect((await send({ target: "/events?utm_source=x&utm_=1&_=123" })).status).toBe(200);
    expect((await send({ target: "/events/1?utm_source=x" })).status).toBe(200);
    expect((await send({ target: "/events?utm=x" })).json.code).toBe("UNKNOWN_FIELD");
    expect((await send({ target: "/events/1?utm=x" })).json.code).toBe("UNKNOWN_FIELD");
    expect(() => fullService({ resources: [events], storage: memoryStorage(), lists: { ignoreParameters: ["*"] } })).toThrow(/ignoreParameters/);
  });

  test("overflow clamp: more than maxPerPage means the maximum", async () => {
    const clamped = await withEvents({ overflow: "clamp" });
    expect((await clamped({ target: "/events?perPage=1000" })).json.meta.perPage).toBe(100);
    const refusing = await withEvents({});
    expect((await refusing({ target: "/events?perPage=101" })).json.detail).toMatch(/from 1 to 100/);
  });

  test("timeZone: a date means a day there", async () => {
    const send = await withEvents({ timeZone: "Europe/Berlin" });
    expect((await send({ target: "/events?at=2026-03-29&fields=id" })).json.data).toEqual([{ id: 2 }, { id: 3 }]);
    expect(() => fullService({ resources: [events], storage: memoryStorage(), lists: { timeZone: "Mars/Base" } })).toThrow(
      /Unknown time zone "Mars\/Base"/,
    );
  });

  test("param: a field called like a word of the language has another name in queries", async () => {
    const send = await withEvents({});
    for (const query of ["pageNumber=7", "page[eq]=7", "page__gte=7"]) {
      expect((await send({ target: `/events?${query}` })).json.data, query).toHaveLength(4);
    }
    expect((await send({ target: "/events?page=7" })).json.data).toHaveLength(0);
  });

  test("a spelling that would mean two things is logged at start-up", async () => {
    const warnings: string[] = [];
    const nothing = () => {};
    await withEvents({}, { error: nothing, info: nothing, debug: nothing, warn: (_, message) => warnings.push(message) });
    expect(warnings).toEqual(['"address_city" is not an alias of "address.city": a parameter has that name.']);
  });
});
