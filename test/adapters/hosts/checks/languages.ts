import { defineResource } from "restwright";
import { type Catalogue, languages } from "restwright/languages";
import { memoryStorage } from "restwright/memory";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { fullService } from "../../../tools/fullService.js";
import { send } from "../client.js";
import type { Host, RunningHost } from "../host.js";

const things = defineResource("things", { schema: z.object({ id: z.int(), name: z.string() }), generated: { id: "increment" } });
const fr: Catalogue = {
  titles: { "404": "Introuvable", "422": "Requête non traitable" },
  texts: {
    'There is no "{id}" in "{collection}".': "« {id} » n’existe pas dans « {collection} ».",
    "Required; expected {type}.": "Obligatoire ; attendu : {type}.",
  },
};

/** A host that joins header lines in its own way, or drops headers of errors, would answer in another language than it says. */
export function languageChecks(host: Host): void {
  const service = fullService({ resources: [things], storage: memoryStorage(), logger: false, more: [languages({ fr })] });
  let running: RunningHost;

  beforeAll(async () => {
    running = await host.start(service.handle, { mount: "/v1" });
  });
  afterAll(async () => {
    await running.close();
    await service.close();
  });

  it("answers a problem in the language of the client, in UTF-8 and with its length", async () => {
    const { status, headers, body } = await send(running.port, "/v1/things/7", { headers: { "Accept-Language": "de, fr-CA;q=0.8" } });
    expect(status).toBe(404);
    expect(headers).toMatchObject({ "content-language": "fr", "content-length": String(body.length) });
    expect(headers.vary?.split(", ")).toContain("Accept-Language");
    expect(JSON.parse(body.toString())).toMatchObject({ title: "Introuvable", detail: "« 7 » n’existe pas dans « things »." });
  });

  it("translates every error of a body", async () => {
    const sent = { method: "POST", headers: { "Content-Type": "application/json", "Accept-Language": "fr" }, body: "{}" };
    const { status, body } = await send(running.port, "/v1/things", sent);
    const detail = "Obligatoire ; attendu : string.";
    expect(status).toBe(422);
    expect(JSON.parse(body.toString())).toMatchObject({ detail, errors: [{ code: "INVALID_VALUE", detail, pointer: "/name" }] });
  });

  it("answers in English to other clients, and says so", async () => {
    for (const language of ["en", "ja", "*;q=0", "fr;q=0"]) {
      const { headers, body } = await send(running.port, "/v1/things/7", { headers: { "Accept-Language": language } });
      expect(headers["content-language"]).toBe("en");
      expect(JSON.parse(body.toString())).toMatchObject({ title: "Not Found" });
    }
  });
}
