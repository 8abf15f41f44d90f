import { afterAll, beforeAll, expect, test } from "vitest";
import { createShop } from "../../../examples/shop/api.js";
import { readSettings } from "../../../examples/shop/settings.js";
import { clientOf } from "../../tools/client.js";

/** A PNG of one pixel: a type that is not compressed. */
const pixel =
  "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d4944415478da63fcffff3f030005fe02fea735811d0000000049454e44ae426082";

let shop: ReturnType<typeof createShop>;
const targets: string[] = ["/users", "/users/1", "/openapi.json", "/docs"];

beforeAll(async () => {
  shop = createShop(readSettings({ DATA_DIR: ":memory:", CORS_ORIGINS: "https://pages.example" }));
  await shop.start();
  const send = clientOf(shop);
  await send({ method: "POST", target: "/users", body: { name: "Ada", email: "ada@example.com" } });
  for (const [type, body] of [
    ["image/png", Buffer.from(pixel, "hex")],
    ["text/plain", Buffer.from("a text that is long enough. ".repeat(100))],
  ] as const) {
    targets.push((await send({ method: "POST", target: "/uploads", body, headers: { "content-type": type } })).json.url);
  }
});
afterAll(() => shop.close({ graceMs: 0 }));

test.each([{}, { "accept-encoding": "gzip" }, { origin: "https://pages.example", "accept-language": "de" }])(
  "a 304 has the Vary of the answer that it stands for, with %o",
  async (headers) => {
    const send = clientOf(shop);
    for (const target of targets) {
      const answer = await send({ target, headers });
      expect([answer.status, typeof answer.headers["etag"]], target).toEqual([200, "string"]);
      const again = await send({ target, headers: { ...headers, "if-none-match": String(answer.headers["etag"]) } });
      expect([again.status, again.headers["vary"]], target).toEqual([304, answer.headers["vary"]]);
    }
  },
);
