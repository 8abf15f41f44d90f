import { createService, defineResource, type Storage } from "restwright";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { file, uploads } from "restwright/uploads";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { Claims } from "../../../../src/capabilities/uploads/rows/claims.js";
import { withoutTransactions } from "../../../tools/storage/batchStores.js";
import { fileStage } from "./stage.js";

const people = (schema: z.ZodObject) => defineResource("people", { schema: schema.extend({ id: z.string() }) });
const plain = () => people(z.object({ avatar: file("image/*").optional() }));

describe("a field of files is an error at the start", () => {
  test.each([
    ["no type", () => file([])],
    ["what is no media type", () => file("png")],
    ["a media type in capitals", () => file(["image/PNG"])],
    ["a type with parameters", () => file("text/plain; charset=utf-8")],
  ])("for %s", (_, make) => {
    expect(make).toThrow(/file\(\): .*must be a media type/);
  });

  test.each([
    ["an object", () => z.object({ profile: z.object({ avatar: file("any") }) })],
    ["an array", () => z.object({ photos: z.array(file("any")) })],
    ["a union", () => z.object({ either: z.union([z.int(), file("any")]) })],
    ["an optional array with a default", () => z.object({ photos: z.array(file("any").nullable()).optional() })],
  ])("within %s", (_, schema) => {
    expect(() => people(schema())).toThrow("file() must be a field of the collection itself");
  });

  const start = (storage: Storage, more: object = {}) =>
    createService({ resources: [plain()], storage, logger: false, use: [uploads({ blobs: memoryBlobs(), types: "any", ...more })] });

  test("without uploads()", () => {
    const resources = [plain()];
    expect(() => createService({ resources, storage: memoryStorage(), logger: false })).toThrow('people: "file()" has no effect');
  });

  test("on a storage without transactions, and with records elsewhere", () => {
    const elsewhere = memoryStorage().uploads;
    expect(() => start(memoryStorage(), { store: elsewhere })).toThrow("people.avatar need the records of uploads beside the rows");
    expect(() => start(withoutTransactions(memoryStorage()), { store: elsewhere })).toThrow("claimed within transactions");
    expect(() => start(memoryStorage())).not.toThrow();
  });
});

describe("the wrappers of a type keep it a file", () => {
  test.each([
    ["nullable", file("any").nullable()],
    ["optional", file("any").optional()],
    ["with a default", file("any").nullable().default(null)],
    ["with a description", file("any").meta({ description: "A picture." }).optional()],
    ["refined", file("any").refine((id) => id !== "0".repeat(32))],
  ])("%s", (_, type) => {
    expect(people(z.object({ avatar: type })).capabilityOptions.has("file()")).toBe(true);
  });

  test("and its values are ids of uploads", () => {
    expect(file("any").parse("0123456789abcdef0123456789abcdef")).toBe("0123456789abcdef0123456789abcdef");
    for (const wrong of ["", "a", "0123456789ABCDEF0123456789ABCDEF", `${"0".repeat(32)}\n`, 7, null])
      expect(file("any").safeParse(wrong).success).toBe(false);
  });
});

test("an operation that is repeated finds its own claim, and another does not", async () => {
  const storage = memoryStorage();
  const stage = fileStage(storage);
  const id = await stage.upload();
  const claims = new Claims(storage.uploads as NonNullable<Storage["uploads"]>, "people", { principal: { id: "ada", tenant: "t" } });
  const [avatar, letter] = ["avatar", "letter"].map((name) => ({ name, type: { types: "any" } as never }));
  expect(await claims.claim(avatar as never, id, { row: "p1", operationId: "operation 1" })).toMatchObject({ record: { id } });
  expect(await claims.claim(avatar as never, id, { row: "p1", operationId: "operation 1" })).toMatchObject({ record: { id } });
  for (const [field, operation] of [
    [avatar, "operation 2"],
    [avatar, undefined],
    [letter, "operation 1"],
  ] as const) {
    expect(await claims.claim(field as never, id, { row: "p1", operationId: operation })).toMatchObject({ code: "FILE_NOT_AVAILABLE" });
  }
  await claims.release("letter", id);
  expect(await stage.isFree(id)).toBe(false);
  await claims.release("avatar", id);
  expect(await stage.isFree(id)).toBe(true);
  await stage.service.close();
});
