// @slow

import { afterAll, beforeAll, expect, test } from "vitest";
import { FakeClamd } from "../../parts/checks/fakeClamd.js";
import { temporaryFolder } from "../../tools/temporary.js";
import { startShop } from "../shop/shopProcess.js";

const clamd = new FakeClamd({ judge: (bytes) => (bytes.includes("harmful") ? "stream: Test.Harmful FOUND" : "stream: OK") });
let CLAMD: string;
beforeAll(async () => {
  CLAMD = `127.0.0.1:${await clamd.listen()}`;
});
afterAll(() => clamd.close());

test("with CLAMD the shop has every upload scanned", async () => {
  const shop = await startShop("fastify", { DATA_DIR: temporaryFolder(), CLAMD });
  const send = async (body: string) => {
    const answer = await fetch(`${shop.origin}/uploads`, { method: "POST", headers: { "content-type": "text/plain" }, body });
    return [answer.status, ((await answer.json()) as { code?: string }).code];
  };
  expect(await send("something harmful")).toEqual([422, "VIRUS_DETECTED"]);
  expect(await send("something else")).toEqual([201, undefined]);
  clamd.close();
  expect(clamd.received).toHaveLength(2);
  expect(await shop.stop("SIGTERM")).toBe(0);
});
