import { afterEach, expect, test } from "vitest";
import { as, callers, type UploadStage, uploadStage } from "./stage.js";

const stream = { "content-type": "application/offset+octet-stream" };

const stages: UploadStage[] = [];
afterEach(async () => {
  for (const stage of stages.splice(0)) await stage.close();
});

/** `bo` may see and delete what `ada` has, and has no quota. */
async function open(): Promise<UploadStage> {
  const stage = await uploadStage({
    auth: [callers],
    uploads: { isAdmin: ({ id }) => id === "bo", quotaBytes: ({ id }) => (id === "bo" ? undefined : 8) },
  });
  stages.push(stage);
  return stage;
}

test("an administrator sees and deletes the uploads of others", async () => {
  const stage = await open();
  const path = await stage.create(5, as("ada"));
  expect((await stage.send("HEAD", path, { headers: as("bo") })).headers["upload-offset"]).toBe("0");
  expect((await stage.send("GET", path, { headers: as("bo") })).json).toMatchObject({ status: "uploading", size: 5 });
  expect((await stage.send("DELETE", path, { headers: as("bo") })).status).toBe(204);
});

test("an administrator adds nothing to them: it would count for their owner, under limits that are not the owner's", async () => {
  const stage = await open();
  const { headers } = await stage.send("POST", "/uploads", { headers: { ...as("ada"), "upload-defer-length": 1 } });
  const path = String(headers.location);
  const { json } = await stage.send("PATCH", path, { headers: { ...as("bo"), ...stream, "upload-offset": 0 }, body: "much too much" });
  expect(json).toMatchObject({ status: 403, code: "FORBIDDEN" });
  expect(await stage.storage.uploads?.use("t", "principal ada")).toEqual({ open: 1, bytes: 0 });
  expect((await stage.patch(path, 0, "hello", { ...as("ada"), "upload-length": 5 })).status).toBe(204);
});

test("an administrator makes no file of pieces that are another's", async () => {
  const stage = await open();
  const piece = await stage.create(5, { ...as("ada"), "upload-concat": "partial" });
  await stage.patch(piece, 0, "hello", as("ada"));
  const concat = { "upload-concat": `final;${piece}` };
  expect((await stage.send("POST", "/uploads", { headers: { ...as("bo"), ...concat } })).json).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect((await stage.send("POST", "/uploads", { headers: { ...as("ada"), ...concat } })).status).toBe(201);
});
