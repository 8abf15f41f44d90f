// @slow

import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeStores } from "../../../../tools/storage/batchStores.js";
import { jobOf } from "../../../batch/batchJobStage.js";
import { csv, importService, importSide, ndjson, ndjsonChunks, sharedImports } from "../importStage.js";
import { GatedBlobs } from "./importGate.js";

const people = (count: number, from = 0) => Array.from({ length: count }, (_, index) => ({ email: `p${from + index}@x.test`, name: "Name" }));
const stop = "onError=stop";

describeStores(
  "all or none",
  ({ open }) => {
    const side = sharedImports(open, { limits: { importStopRows: 50 } });
    const total = async (of: ReturnType<typeof side>) => (await of.send({ target: "/people?perPage=1" }, "admin")).json.meta.total;

    test("imports more than one chunk, and a row that fails behind it none", async () => {
      const one = side();
      const job = await one.ended(await one.submit(stop, ndjsonChunks(people(20), people(20, 20), people(10, 40))));
      expect([job.status, job.document["result"], job.processedRows, await total(one)]).toEqual([
        "completed",
        { created: 50, updated: 0, skipped: 0, failed: 0 },
        50,
        50,
      ]);
      const failed = await one.ended(
        await one.submit(stop, ndjsonChunks(people(20, 100), [...people(5, 200), { email: "P7@x.test", name: "N" }, ...people(5, 300)])),
      );
      expect([failed.status, failed.error]).toEqual([
        "failed",
        { code: "IMPORT_REJECTED", detail: `Row 26 (line 26, column "email"): The value of "email" is taken. Nothing was imported.`, row: 26 },
      ]);
      expect([failed.document["result"], failed.document["resume"], await total(one)]).toEqual([
        { created: 0, updated: 0, skipped: 0, failed: 1 },
        // Nothing was imported: whoever sends the file again sends all of it.
        { row: 0, byte: 0 },
        50,
      ]);
    });

    test("goes on from the start once what stood in its way is gone", async () => {
      const one = side();
      await one.seed("people", { email: "p7@x.test", name: "In the way" });
      const target = jobOf(await one.submit(stop, ndjsonChunks(people(5), people(10, 5))));
      expect((await one.ended(target)).error).toMatchObject({ code: "IMPORT_REJECTED", row: 8 });
      const [{ id }] = (await one.send({ target: "/people" }, "admin")).json.data;
      await one.send({ method: "DELETE", target: `/people/${id}` }, "admin");
      expect((await one.send({ method: "POST", target: `${target}/resume` })).status).toBe(202);
      const done = await one.ended(target);
      expect([done.status, done.document["result"], await total(one)]).toEqual(["completed", { created: 15, updated: 0, skipped: 0, failed: 0 }, 15]);
    });

    test("knows rows of earlier chunks: those that others name, and those that have a key", async () => {
      const one = side();
      const node = (id: string, parentId: string | null = null) => ({ id, parentId });
      const nodes = (last: string) => ndjsonChunks([node("root"), node("n1", "root")], [node("n2", "n1"), node("last", last)]);
      const missing = await one.ended(await one.submit(`collection=nodes&${stop}`, nodes("none")));
      expect(missing.error).toMatchObject({ code: "IMPORT_REJECTED", row: 4 });
      const whole = await one.ended(await one.submit(`collection=nodes&${stop}`, nodes("n1")));
      expect([whole.status, whole.document["result"]]).toEqual(["completed", { created: 4, updated: 0, skipped: 0, failed: 0 }]);
      // The last row is no new one, though it would be if the first were not there.
      const upsert = ndjsonChunks([{ email: "x@x.test", name: "X" }], people(3), [{ email: "X@x.test", age: 7 }]);
      const merged = await one.ended(await one.submit(`mode=upsert&key=email&${stop}`, upsert));
      expect([merged.status, merged.error, merged.document["result"]]).toEqual([
        "completed",
        null,
        { created: 4, updated: 1, skipped: 0, failed: 0 },
      ]);
    });

    test("takes no more rows than it may, and says what does", async () => {
      const refused = await side().submit(stop, ndjson(...people(51)));
      expect([refused.status, refused.json.code, refused.json.maximum, refused.json.detail]).toEqual([
        413,
        "IMPORT_TOO_LARGE",
        50,
        expect.stringContaining("onError=continue"),
      ]);
    });

    test("at once says which row, line and column", async () => {
      const one = side();
      const { status, json } = await one.now("onError=stop", csv('email,name,age\n"ada@x.test","A\nda",1\n\neve@x.test,Eve,-1\n'));
      expect([status, json.code, json.row, json.line]).toEqual([422, "IMPORT_REJECTED", 2, 5]);
      expect(json.detail).toMatch(/^Row 2 \(line 5, column "age"\): .+\. Nothing was imported\.$/);
      expect(json.errors).toEqual([{ code: "VALIDATION_FAILED", detail: expect.stringMatching(/^age: /) }]);
    });
  },
  ({ name }) => !name.startsWith("a store"),
);

describe("all or none", () => {
  test("shows nothing of itself before its end, and half of its progress for what is judged", async () => {
    const storage = memoryStorage();
    const gate = new GatedBlobs(memoryBlobs());
    const service = importService(storage, { blobs: gate.blobs, jobs: { leaseMs: 100 } });
    onTestFinished(() => service.close({ graceMs: 0 }));
    const side = importSide(service, storage);
    gate.shut();
    const target = jobOf(await side.submit(stop, ndjsonChunks(...[0, 10, 20, 30].map((from) => people(10, from)))));
    const seen: number[] = [];
    let status = "";
    for (let look = 0; status !== "completed" && look < 5_000; look++) {
      const visible = look % 10 === 0 ? (await side.send({ target: "/people?perPage=1" }, "admin")).json.meta.total : 0;
      const { json } = await side.send({ target });
      status = json.status;
      seen.push(json.progress);
      expect([0, json.processedRows]).toContain(visible);
      expect(json.progress === 1).toBe(status === "completed");
      if (json.progress > 0.1) gate.open();
      await new Promise(setImmediate);
    }
    expect([status, seen.at(-1)]).toEqual(["completed", 1]);
    expect(seen).toEqual([...seen].sort((left, right) => left - right));
    expect(seen.filter((progress) => progress < 0.9).every((progress) => progress <= 0.5)).toBe(true);
  });
});
