import { type Capability, createService, defineResource, type Service } from "restwright";
import { memoryStorage } from "restwright/memory";
import { type OpenApiCalls, openapi } from "restwright/openapi";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { onDemand } from "../../../src/ground/onDemand/onDemand.js";
import { clientOf } from "../../tools/client.js";

const notes = defineResource("notes", { schema: z.object({ id: z.int(), text: z.string() }), generated: { id: "increment" } });

describe("A part that is loaded on demand", () => {
  test("is loaded once, by all calls that meet its load, and is there at once afterwards", async () => {
    let loads = 0;
    const part = onDemand(async () => ({ number: ++loads }));
    expect(loads).toBe(0);
    expect(await Promise.all([part(), part()])).toEqual([{ number: 1 }, { number: 1 }]);
    expect(part()).toEqual({ number: 1 });
  });

  test("is loaded again by the call after one that failed", async () => {
    let loads = 0;
    const part = onDemand(async () => {
      if (++loads === 1) throw new Error("The file is missing.");
      return loads;
    });
    await expect(part()).rejects.toThrow("The file is missing.");
    expect(await part()).toBe(2);
  });
});

describe("A service whose document cannot be written, as its files are missing", () => {
  function serviceOf(failures: number) {
    const errors: string[] = [];
    let loads = 0;
    const replaced: Capability = {
      name: "replaced",
      open: () => ({
        async describes() {
          if (++loads <= failures) throw new Error("Cannot find module");
          return { describe: () => undefined };
        },
      }),
    };
    const logger = { error: (_: object, message: string) => void errors.push(message), warn() {}, info() {}, debug() {} };
    const use = [replaced, openapi({ info: { title: "Notes", version: "1" } })];
    const service = createService({ resources: [notes], storage: memoryStorage(), logger, use }) as unknown as Service & OpenApiCalls;
    return { service, errors, loads: () => loads };
  }

  test("loads nothing until it is asked for one", async () => {
    const { service, loads } = serviceOf(0);
    await service.ready();
    expect(loads()).toBe(0);
  });

  test("answers that request with a logged 500, and the next one with the document", async () => {
    const { service, errors } = serviceOf(1);
    const send = clientOf(service);
    const failed = await send({ target: "/openapi.json" });
    expect([failed.status, JSON.parse(failed.text)]).toEqual([500, expect.objectContaining({ code: "INTERNAL" })]);
    expect(failed.text).not.toContain("Cannot find module");
    expect(errors).toHaveLength(1);
    expect((await send({ target: "/openapi.json" })).status).toBe(200);
    expect(errors).toHaveLength(1);
  });

  test("refuses a call of document(), and answers the next one", async () => {
    const { service } = serviceOf(1);
    await expect(service.document()).rejects.toThrow("Cannot find module");
    expect((await service.document()).info.title).toBe("Notes");
  });
});
