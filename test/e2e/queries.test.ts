// @long

import type { Service } from "restwright";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Listening } from "../../examples/shop/host.js";
import * as resources from "../../examples/shop/resources.js";
import { send } from "../adapters/hosts/client.js";
import { unenforced } from "../capabilities/searches/unenforced.js";
import { unscoped } from "../capabilities/searches/unscoped.js";
import { fullService } from "../tools/fullService.js";
import { customers, orders, queryCases } from "./queryCases.js";
import { listen } from "./shop/shopHost.js";
import { shopStores } from "./shop/shopPlaces.js";
import { hosts } from "./shop/shopProcess.js";

const json = { "content-type": "application/json" };

describe.each(shopStores)("queries of the shop on %s", (_, open) => {
  let service: Service;
  let drop: () => Promise<void>;

  beforeAll(async () => {
    const [storage, end] = await open();
    drop = end;
    service = fullService({ resources: [unscoped(resources.users), unenforced(resources.orders)], storage });
    const at = await listen("fastify", service);
    for (const body of customers) await create(at.port, "/users", body);
    for (const body of orders) await create(at.port, "/orders", body);
    await at.close(async () => {});
  });
  afterAll(async () => {
    await service.close();
    await drop();
  });

  describe.each(hosts)("behind %s", (host) => {
    let at: Listening;
    beforeAll(async () => {
      at = await listen(host, service);
    });
    afterAll(() => at.close(async () => {}));
    const get = async (target: string, sent: Parameters<typeof send>[2] = {}) => {
      const { status, headers, body } = await send(at.port, target, sent);
      return { status, headers, json: body.length === 0 ? undefined : JSON.parse(body.toString()) };
    };
    const post = (target: string, body: object, method = "POST") => get(target, { method, headers: json, body: JSON.stringify(body) });

    test.each(queryCases)("$name: $target", async ({ target, ids, refused }) => {
      const answer = await get(target);
      if (ids !== undefined) {
        expect(answer.status, JSON.stringify(answer.json)).toBe(200);
        expect(answer.json.data.map(({ id }: { id: number }) => id)).toEqual(ids);
      } else expect([answer.status, answer.json.code]).toEqual(refused);
    });

    test("cursors walk all orders in both directions", async () => {
      const seen: number[] = [];
      let last = "";
      for (let target: string | undefined = "/orders?sort=-note,total&perPage=5"; target !== undefined; ) {
        const { json: list } = await get(target);
        seen.push(...list.data.map(({ id }: { id: number }) => id));
        last = list.meta.prevCursor ?? last;
        const next: string | null = list.meta.nextCursor;
        target = next === null ? undefined : `/orders?sort=-note,total&perPage=5&cursor=${next}`;
      }
      const all = (await get("/orders?sort=-note,total&perPage=100&fields=id")).json.data.map(({ id }: { id: number }) => id);
      expect(seen).toEqual(all);
      const back = await get(`/orders?sort=-note,total&perPage=100&cursor=${last}`);
      expect(back.json.data.map(({ id }: { id: number }) => id)).toEqual(all.slice(0, 20));
    });

    test("selects fields, and puts related rows inline", async () => {
      const { json: list } = await get("/orders?perPage=2&sort=-id&fields=id,customer{name,address{city}}&include=customer");
      expect(list.data).toEqual([
        { id: 24, customer: null },
        { id: 23, customer: { name: "100% Émile_Zola*" } },
      ]);
      const one = await get("/users/1?fields=*,-tags,bio&exclude=email,createdAt,updatedAt,preferences&include=orders&fields[orders]=id,total");
      expect(one.json).toEqual({
        id: 1,
        status: "active",
        name: "Ada Lovelace",
        address: { city: "London", country: "UK" },
        bio: "first",
        orders: [4, 8, 12, 16, 20].map((id) => ({ id, total: id * 2.5 })),
      });
      expect((await get("/users/1")).json).not.toHaveProperty("bio");
      expect(Object.keys((await get("/users?perPage=1")).json.data[0])).toEqual(["id", "name", "email", "createdAt"]);
    });

    test("POST /searches and QUERY take and, or and not", async () => {
      const body = { filter: { or: [{ total: { lt: 5 } }, { and: [{ note: null }, { not: { status: "open" } }] }] }, fields: "id", sort: "-id" };
      const expected = [20, 16, 8, 4, 1].map((id) => ({ id }));
      expect((await post("/searches", { collection: "orders", ...body })).json.data).toEqual(expected);
      expect((await post("/orders", body, "QUERY")).json.data).toEqual(expected);
    });

    test("an unchanged list is 304", async () => {
      const first = await get("/orders?status=paid&include=customer");
      const again = await get("/orders?status=paid&include=customer", { headers: { "if-none-match": String(first.headers.etag) } });
      expect([again.status, again.json]).toEqual([304, undefined]);
    });

    test("HEAD has the headers of GET", async () => {
      const [whole, head] = [
        await send(at.port, "/orders?fields=id&perPage=3"),
        await send(at.port, "/orders?fields=id&perPage=3", { method: "HEAD" }),
      ];
      for (const name of ["link", "x-total-count", "etag", "content-length"]) expect(head.headers[name], name).toBe(whole.headers[name]);
    });

    test("a row below its parent is that parent's", async () => {
      expect((await get("/users/1/orders/4?fields=id")).json).toEqual({ id: 4 });
      expect((await get("/users/2/orders/4")).status).toBe(404);
    });
  });
});

async function create(port: number, path: string, body: object): Promise<void> {
  const { status, body: answer } = await send(port, path, { method: "POST", headers: json, body: JSON.stringify(body) });
  if (status !== 201) throw new Error(answer.toString());
}
