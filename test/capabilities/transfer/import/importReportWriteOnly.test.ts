import { memoryBlobs, memoryStorage } from "restwright/memory";
import { describe, expect, test } from "vitest";
import { jobsOf } from "../../../tools/storage/boundStorage.js";
import { endedJob, jobOf } from "../../batch/batchJobStage.js";
import { marker, sealedService } from "./sealedStage.js";

/** Imports a file, and returns everything that is told and kept of its rows that failed. */
async function reportsOf(type: string, body: string, query = "") {
  const storage = memoryStorage();
  const { send, service } = sealedService(storage, { blobs: memoryBlobs(), jobs: { pollMs: 5 } });
  await service.start();
  const target = jobOf(await send({ method: "POST", target: `/imports?collection=members${query}`, headers: { "content-type": type }, body }));
  const job = await endedJob(send, target);
  const csv = await send({ target: `${target}/errors` });
  const json = await send({ target: `${target}/errors`, headers: { accept: "application/json" } });
  const entries = await jobsOf(storage).entries(target.split("/").at(-1) ?? "", -1, 100);
  return { job, csv: csv.text, errors: json.json.errors, all: [csv.text, json.text, JSON.stringify(entries), JSON.stringify(job)].join("\n") };
}

const password = `${marker}-1`;

describe("the report of failed rows of a collection with a write-only field", () => {
  test.each([
    ["a column of that name", "name,password,age", ""],
    ["a column in other case", "name,PassWord,age", ""],
    ["a column that is mapped", "name,secret,age", "&map[secret]=password"],
  ])("leaves out its values in CSV: %s", async (_what, header, query) => {
    const { csv, errors, all } = await reportsOf("text/csv", `${header}\nAda,${password},old\n`, query);
    expect(csv.split("\r\n")[1]).toMatch(/^Ada,,old,1,2,VALIDATION_FAILED,age,/);
    expect(errors).toMatchObject([{ row: 1, cells: ["Ada", null, "old"] }]);
    expect(all.includes(marker)).toBe(false);
  });

  test.each([
    ["a member of that name", { name: "Ada", password, age: "old" }, ""],
    ["a member that is mapped", { name: "Ada", secret: password, age: "old" }, "&map[secret]=password"],
    ["a value that is invalid itself", { name: "Ada", password: { nested: password }, age: "old" }, ""],
  ])("leaves out its values in JSON: %s", async (_what, row, query) => {
    const { errors, all } = await reportsOf("application/x-ndjson", JSON.stringify(row), query);
    expect(errors).toMatchObject([{ row: 1, value: { name: "Ada", age: "old" } }]);
    expect(all.includes(marker)).toBe(false);
  });

  test.each([
    ["too many cells", "text/csv", `name,password,age\nAda,1,${password},x\n`, "ROW_WIDTH"],
    ["too few cells", "text/csv", `name,password,age\n${password},1\n`, "ROW_WIDTH"],
    ["malformed JSON", "application/x-ndjson", `{"name": "Ada", "password": "${password}"`, "MALFORMED_JSON"],
    ["no object", "application/x-ndjson", JSON.stringify(["Ada", password]), "ROW_NOT_OBJECT"],
  ])("has no values of a row with %s", async (_what, type, body, code) => {
    const { errors, all } = await reportsOf(type, body);
    expect(errors).toMatchObject([{ row: 1, code }]);
    expect([errors[0].cells, errors[0].text, errors[0].value, all.includes(marker)]).toEqual([undefined, undefined, undefined, false]);
  });

  test("has all values of others", async () => {
    const storage = memoryStorage();
    const { send, service } = sealedService(storage, { blobs: memoryBlobs(), jobs: { pollMs: 5 } });
    await service.start();
    const sent = { method: "POST", target: "/imports?collection=notes", headers: { "content-type": "application/x-ndjson" }, body: "[1, 2]" };
    const target = jobOf(await send(sent));
    await endedJob(send, target);
    const { json } = await send({ target: `${target}/errors`, headers: { accept: "application/json" } });
    expect(json.errors).toMatchObject([{ text: "[1, 2]" }]);
  });
});
