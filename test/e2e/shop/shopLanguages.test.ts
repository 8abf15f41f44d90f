// @slow

import { expect, test } from "vitest";
import { startShop } from "./shopProcess.js";

test("the shop answers problems in the language of the client, and replays them as they were", async () => {
  const shop = await startShop("fastify", { DATA_DIR: ":memory:" });
  const read = async (language: string) => {
    const response = await fetch(`${shop.origin}/users/99`, { headers: { "accept-language": language } });
    const { title, detail } = (await response.json()) as { title: string; detail: string };
    return [response.status, response.headers.get("content-language"), title, detail];
  };
  expect(await read("de-AT, en;q=0.5")).toEqual([404, "de", "Nicht gefunden", "„99“ gibt es in „users“ nicht."]);
  expect(await read("fr")).toEqual([404, "fr", "Introuvable", "« 99 » n’existe pas dans « users »."]);
  expect(await read("ja")).toEqual([404, "en", "Not Found", 'There is no "99" in "users".']);

  const create = async (language: string) => {
    const headers = { "content-type": "application/json", "idempotency-key": "batch-in-german-1", "accept-language": language };
    const response = await fetch(`${shop.origin}/users/batch`, { method: "POST", headers, body: '{"items":[{"name":"Ada"}]}' });
    return response.text();
  };
  const first = await create("de");
  expect(first).toContain("Erforderlich; erwartet wird Text.");
  expect(await create("fr")).toBe(first);
  expect(await shop.stop("SIGTERM")).toBe(0);
}, 30_000);
