// @long

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diskBlobs } from "restwright/disk";
import { memoryBlobs } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { afterAll, describe } from "vitest";
import { startBlobWriter } from "../disk/blobWriterProcess.js";
import { testBlobs } from "./blobTests.js";

const folder = mkdtempSync(join(tmpdir(), "restwright-blobs-"));
let folders = 0;

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const alone = ["no other store can be opened on the same data", "no process can die while it writes"];

describe("blobs in memory", () => testBlobs(async () => ({ store: memoryBlobs() }), alone));

describe("blobs in memory by a clock that stands still", () => testBlobs(async () => ({ store: memoryBlobs({ clock: new FakeClock() }) }), alone));

describe("blobs on disk", () =>
  testBlobs(async () => {
    folders += 1;
    const path = join(folder, String(folders), "blobs");
    return {
      store: diskBlobs({ path }),
      again: async () => diskBlobs({ path }),
      dieWriting: async (key, bytes) => {
        const writer = await startBlobWriter({ path, key, bytes });
        await writer.kill();
      },
    };
  }));
