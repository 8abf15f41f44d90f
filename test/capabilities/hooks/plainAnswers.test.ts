import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { describeStores } from "../../tools/storage/batchStores.js";
import { csv, type HookStage, hookStage, merge } from "./hookStage.js";

class Changes {
  note = "by a class";
}

const answers: readonly (readonly [string, unknown])[] = [
  ["a Date", new Date(0)],
  ["a Map", new Map([["note", "by a map"]])],
  ["a class instance", new Changes()],
  ["an array", [{ note: "in an array" }]],
  ["bytes", new Uint8Array(2)],
  ["a text", "note"],
  ["a number", 0],
  ["true", true],
  ["null", null],
];

describeStores(
  "A hook that answers what is no plain object",
  ({ open }) => {
    let stage: HookStage;
    let count = 0;
    beforeAll(async () => {
      stage = await hookStage(open);
    });
    beforeEach(() => stage.forget());
    afterAll(() => stage.close());

    const ways: Record<string, () => Promise<number>> = {
      async POST() {
        return (await stage.send("POST", "/orders", { sku: `post ${count}`, pieces: 1 })).status;
      },
      async batch() {
        return (await stage.send("POST", "/orders/batch", { items: [{ sku: `batch ${count}`, pieces: 1 }] })).status;
      },
      async "a batch of requests"() {
        const operations = [{ method: "POST", url: "/orders", body: { sku: `part ${count}`, pieces: 1 } }];
        const { json } = await stage.send("POST", "/batch", { operations });
        return json.results?.[0].status;
      },
      async import() {
        return (await stage.send("POST", "/orders/import", `sku,pieces\nimport ${count},1\n`, csv)).status;
      },
      async "a call from code"() {
        const failed = await stage.system
          .of(stage.orders)
          .create({ sku: `code ${count}`, pieces: 1 })
          .catch((error: Error) => error);
        return failed instanceof Error && failed.name === "ConfigurationError" ? 500 : 0;
      },
    };

    test.each(answers)("is a fault of the hook for %s, and nothing is written", async (_, answer) => {
      const id = await stage.order(`kept ${count}`);
      ways["PATCH"] = async () => (await stage.send("PATCH", `/orders/${id}`, { pieces: 2 }, merge)).status;
      const before = (await stage.send("GET", "/orders?perPage=100")).text;
      for (const isSlow of [false, true]) {
        for (const [way, send] of Object.entries(ways)) {
          if (way === "import" && stage.storage.jobs === undefined) continue;
          stage.of.orders.beforeWrite = () => (isSlow ? Promise.resolve(answer) : answer);
          count += 1;
          stage.faults.length = 0;
          expect([way, await send()]).toEqual([way, 500]);
          if (way !== "a call from code") expect(String(stage.faults[0])).toContain('orders: "beforeWrite" must return a plain object');
        }
      }
      stage.forget();
      expect((await stage.send("GET", "/orders?perPage=100")).text).toBe(before);
    });

    test("is none for an object without a prototype", async () => {
      stage.of.orders.beforeWrite = () => Object.assign(Object.create(null), { note: "plain" });
      const { status, json } = await stage.send("POST", "/orders", { sku: "no prototype", pieces: 1 });
      expect([status, json.note]).toEqual([201, "plain"]);
    });
  },
  ({ hasTransactions }) => hasTransactions,
);
