// @slow

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { expect, test } from "vitest";
import { randomOf } from "../../../fuzz/random.js";
import { leftOf, nothing } from "../left.js";
import { breakForms } from "./breakForms.js";
import { formData, openForms } from "./formStage.js";

async function filesBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test("forms whose clients go away somewhere leave no blob and no record, in memory", async () => {
  const stage = await openForms();
  await breakForms(stage, 30, randomOf(11));
  await expect.poll(() => leftOf(stage), { timeout: 20_000 }).toEqual(nothing);
  expect(stage.faults).toEqual([]);
  expect((await stage.post(formData(["f", "a.txt", "hello"]))).status).toBe(201);
});

test("forms whose clients go away somewhere leave no file on disk", async () => {
  const folder = await mkdtemp(join(tmpdir(), "restwright-forms-"));
  const stage = await openForms({ blobs: diskBlobs({ path: folder }) });
  await stage.post(formData(["f", "a.txt", "hello"]));
  const before = await filesBelow(folder);
  await breakForms(stage, 30, randomOf(12));
  await expect.poll(() => leftOf(stage), { timeout: 20_000 }).toMatchObject({ records: [], use: { open: 0, bytes: 5 } });
  await expect.poll(() => filesBelow(folder), { timeout: 20_000 }).toEqual(before);
  await rm(folder, { recursive: true });
});
