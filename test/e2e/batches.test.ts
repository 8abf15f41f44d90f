// @long

import { execFile } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Sent, send } from "../adapters/hosts/client.js";
import { sampleNote } from "../tools/extent.js";
import { batchCases } from "./batchCases.js";
import { type ShopHost, startShopHost } from "./shop/shopHost.js";
import { shopPlaces } from "./shop/shopPlaces.js";

const run = promisify(execFile);

const json = { "content-type": "application/json" };
describe.each(shopPlaces)(`batches of the shop behind %s on %s${sampleNote}`, (host, _, open) => {
  let shop: ShopHost;
  beforeAll(async () => {
    shop = await startShopHost(host, open);
  });
  afterAll(() => shop.close());
  const ask = async (target: string, sent: Sent = {}) => {
    const { status, headers, body } = await send(shop.port, target, sent);
    return { status, headers, text: body.toString(), json: body.length === 0 ? undefined : JSON.parse(body.toString()) };
  };
  const post = (target: string, body: object, headers: Record<string, string> = {}) =>
    ask(target, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

  test("answers every batch of the list", async () => {
    for (const { name, method = "POST", target, headers, body, status, items, facts, answered = {} } of batchCases) {
      const plain = typeof body === "string" || body instanceof Uint8Array || body === undefined;
      const type = body === undefined ? {} : json;
      const sent = { method, headers: { ...type, ...headers }, ...(body === undefined ? {} : { body: plain ? body : JSON.stringify(body) }) };
      const answer = await ask(target, sent);
      expect(answer.status, `${name}: ${answer.text}`).toBe(status);
      const statuses = answer.json.results?.map(({ status: each }: { status: number }) => each);
      if (items !== undefined) expect(statuses, `${name}: ${answer.text}`).toEqual(items);
      if (facts !== undefined) expect(answer.json, name).toMatchObject(facts);
      for (const [header, value] of Object.entries(answered)) expect(answer.headers[header], `${name}: ${header}`).toBe(value);
    }
  });

  test("mirrors a batch that came as a form", async () => {
    const form = new FormData();
    const requests = ["POST /users HTTP/1.1\r\nContent-Type: application/json\r\n\r\n{}", "GET /users?fields=id HTTP/1.1\r\n\r\n"];
    for (const [index, text] of requests.entries()) form.append(`part${index}`, new Blob([text], { type: "application/http" }));
    const encoded = new Response(form);
    const body = new Uint8Array(await encoded.arrayBuffer());
    const answer = await send(shop.port, "/batch", { method: "POST", headers: { "content-type": encoded.headers.get("content-type") ?? "" }, body });
    expect([answer.status, answer.headers["content-type"]]).toEqual([207, expect.stringMatching(/^multipart\/mixed; boundary=/)]);
    const text = answer.body.toString();
    expect(text).toMatch(/Content-ID: <response-part0>\r\n\r\nHTTP\/1\.1 422 Unprocessable Entity\r\n/);
    expect(text).toMatch(/Content-ID: <response-part1>\r\n\r\nHTTP\/1\.1 200 OK\r\n/);
  });

  test("answers a key once, and byte for byte again", async () => {
    const key = { "idempotency-key": `batch-of-${host}-0001` };
    const body = { items: [{ name: "Nia", email: "nia@example.com" }, { name: "" }] };
    const [first, again] = [await post("/users/batch", body, key), await post("/users/batch", body, key)];
    expect([first.status, again.status, again.headers["idempotent-replayed"]]).toEqual([207, 207, "true"]);
    expect(again.text).toBe(first.text);
    expect((await ask("/users?email=nia@example.com&count=exact")).json.meta.total).toBe(1);
  });

  test("goes on behind a request, and is looked at until it is completed", async () => {
    const items = Array.from({ length: 300 }, (_, index) => ({ customerId: 1, total: index, currency: "USD" }));
    const accepted = await post("/orders/batch", { items }, { prefer: "respond-async, return=minimal" });
    expect([accepted.status, accepted.headers["preference-applied"]]).toEqual([202, "return=minimal, respond-async"]);
    const location = String(accepted.headers.location);
    let job = await ask(location);
    for (; job.json.status === "queued" || job.json.status === "processing"; job = await ask(location)) await sleep(20);
    expect(job.json).toMatchObject({ status: "completed", progress: 1, processedRows: 300, result: { summary: { succeeded: 300, failed: 0 } } });
    expect(job.json.result.results).toHaveLength(300);
    expect((await ask(location, { headers: { "if-none-match": String(job.headers.etag) } })).status).toBe(304);
    expect((await ask("/orders?currency=USD&count=exact&perPage=1")).json.meta.total).toBe(300);
    expect((await ask(location, { method: "DELETE" })).status).toBe(204);
    expect((await ask(location)).status).toBe(404);
  });

  test("serves curl", async () => {
    const curl = async (target: string, ...args: string[]) =>
      (await run("curl", ["-s", "-g", "-w", "\n%{http_code}", ...args, `http://127.0.0.1:${shop.port}${target}`])).stdout.split("\n");
    const type = ["-H", "content-type: application/json"];
    const [made = "", madeStatus] = await curl("/orders/batch", ...type, "-d", '{"items":[{"customerId":1,"total":7,"currency":"CHF"}]}');
    const [{ id }] = JSON.parse(made).results;
    expect(madeStatus).toBe("200");
    const [gone = "", goneStatus] = await curl("/orders", "-X", "DELETE", ...type, "-d", JSON.stringify({ ids: [id] }));
    expect([JSON.parse(gone).results, goneStatus]).toEqual([[{ index: 0, status: 204, id }], "200"]);
    const [asked = "", askedStatus] = await curl("/orders?currency=USD", "-X", "DELETE");
    expect([JSON.parse(asked).matched, askedStatus]).toEqual([300, "428"]);
  });
});
