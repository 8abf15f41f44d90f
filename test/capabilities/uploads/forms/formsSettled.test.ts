import type { UploadStore } from "restwright";
import { type FileCheck, pass, reject, type Verdict } from "restwright/checks";
import { memoryBlobs, memoryStorage } from "restwright/memory";
import { FakeClock } from "restwright/testing";
import { describe, expect, test } from "vitest";
import { uploadSettings } from "../../../../src/capabilities/uploads/settings.js";
import { sweepUploads } from "../../../../src/capabilities/uploads/sweep.js";
import { silentLogger } from "../../../../src/engine/operation/logging/logger.js";
import { systemTimers } from "../../../../src/ground/http/timers.js";
import { Unavailable } from "../../../../src/ground/storage/errors.js";
import { leftOf, nothing } from "../left.js";
import { type FormStageOptions, formData, openForms } from "./formStage.js";

const minuteMs = 60_000;
const two = () => formData(["a", "1.txt", "one"], ["b", "2.txt", "two"]);

/** Forms whose clock is turned by hand, what sweeps them, and a check that says for each file name what it is told to. */
async function open({ uploads = {}, store }: FormStageOptions & { readonly store?: (store: UploadStore) => UploadStore } = {}) {
  const clock = new FakeClock(Date.now());
  const verdicts = new Map<string, Verdict>();
  const check: FileCheck = { name: "told", needs: "file", run: async ({ filename }) => verdicts.get(filename) ?? pass };
  const memory = memoryStorage();
  if (memory.uploads === undefined) throw new Error("The storage keeps no records of uploads.");
  const storage = store === undefined ? memory : { ...memory, uploads: store(memory.uploads) };
  const blobs = memoryBlobs({ clock });
  const form = { types: "any", checks: [check] } as const;
  const stage = await openForms({ storage, blobs, clock, form, uploads });
  const basis = { storage, blobs, clock, timers: systemTimers, logger: silentLogger };
  const settings = uploadSettings({ types: "any", ...uploads, forms: { avatars: form } }, basis);
  const statuses = async (ids: readonly string[]) => {
    const found = await Promise.all(ids.map((id) => stage.send("GET", `/uploads/${id}`)));
    return found.map(({ status, json }) => (status === 200 ? json.status : status));
  };
  const readable = (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await stage.send("GET", `/files/${id}`)).status));
  return { stage, clock, verdicts, statuses, readable, sweep: () => sweepUploads(settings) };
}

describe("a form of which one file is judged later", () => {
  async function deferred(options: Parameters<typeof open>[0] = {}) {
    const opened = await open(options);
    opened.verdicts.set("2.txt", { verdict: "defer" });
    const { status, headers, json } = await opened.stage.post(two());
    const ids: readonly string[] = json.files.map(({ id }: { readonly id: string }) => id);
    expect({ status, location: headers.get("location") }).toEqual({ status: 202, location: `/uploads/${ids[0]}` });
    expect(json.files).toMatchObject([
      { status: "processing", contentType: null },
      { status: "processing", contentType: null },
    ]);
    for (const file of json.files) for (const name of ["url", "signedUrl", "sha256"]) expect(file).not.toHaveProperty(name);
    expect(await opened.readable(ids)).toEqual([404, 404]);
    return { ...opened, ids };
  }

  test("is there as a whole once that is judged", async () => {
    const heard: string[] = [];
    const { clock, sweep, verdicts, statuses, readable, ids } = await deferred({ uploads: { onReady: ({ filename }) => void heard.push(filename) } });
    clock.advance(minuteMs);
    await sweep();
    expect([await statuses(ids), await readable(ids), heard]).toEqual([["processing", "processing"], [404, 404], []]);
    verdicts.set("2.txt", pass);
    clock.advance(minuteMs);
    await sweep();
    expect([await statuses(ids), await readable(ids), heard]).toEqual([
      ["ready", "ready"],
      [200, 200],
      ["1.txt", "2.txt"],
    ]);
  });

  test("is gone as a whole where that is refused, and says why", async () => {
    const { stage, clock, sweep, verdicts, statuses, readable, ids } = await deferred();
    verdicts.set("2.txt", reject("VIRUS_DETECTED", "It is one."));
    clock.advance(minuteMs);
    await sweep();
    expect([await statuses(ids), await readable(ids)]).toEqual([
      ["rejected", "rejected"],
      [404, 404],
    ]);
    for (const id of ids) {
      const { json } = await stage.send("GET", `/uploads/${id}`);
      expect(json.error).toMatchObject({ code: "VIRUS_DETECTED", field: "b", filename: "2.txt" });
    }
    expect(await leftOf(stage)).toMatchObject({ keys: [], use: { open: 0, bytes: 0 } });
  });

  test.each([0, 1])("is gone as a whole where file %i of it is deleted before", async (index) => {
    const { stage, clock, sweep, verdicts, readable, ids } = await deferred();
    expect((await stage.send("DELETE", `/uploads/${ids[index]}`)).status).toBe(204);
    verdicts.set("2.txt", pass);
    clock.advance(10 * minuteMs);
    await sweep();
    expect(await readable(ids)).toEqual([404, 404]);
    expect(await leftOf(stage)).toMatchObject({ keys: [], use: { open: 0, bytes: 0 } });
  });

  test("waits where the scanner is down", async () => {
    const { clock, sweep, verdicts, statuses, ids } = await deferred();
    verdicts.set("2.txt", reject("SCAN_UNAVAILABLE", "It is down."));
    clock.advance(minuteMs);
    await expect(sweep()).rejects.toMatchObject({ code: "SCAN_UNAVAILABLE" });
    expect(await statuses(ids)).toEqual(["processing", "processing"]);
    verdicts.set("2.txt", pass);
    clock.advance(10 * minuteMs);
    await sweep();
    expect(await statuses(ids)).toEqual(["ready", "ready"]);
  });
});

test("a form of one file that is judged later is there once it is", async () => {
  const { stage, clock, sweep, verdicts, readable } = await open();
  verdicts.set("1.txt", { verdict: "defer" });
  const { status, json } = await stage.post(formData(["a", "1.txt", "one"]));
  expect({ status, of: json.status }).toEqual({ status: 202, of: "processing" });
  verdicts.set("1.txt", pass);
  clock.advance(minuteMs);
  await sweep();
  expect(await readable([json.id])).toEqual([200]);
});

test("a scanner that is down refuses a form, and nothing of it is kept", async () => {
  const { stage, verdicts } = await open();
  verdicts.set("2.txt", reject("SCAN_UNAVAILABLE", "It is down."));
  expect((await stage.post(two())).status).toBe(503);
  expect(await leftOf(stage)).toEqual(nothing);
});

test("no file of a form can be read before all were checked", async () => {
  const seen: unknown[] = [];
  const { stage, verdicts } = await open();
  Object.defineProperty(verdicts, "get", {
    value: async (filename: string) => {
      const { keys } = await leftOf(stage);
      for (const key of keys) seen.push([filename, (await stage.send("GET", `/files/${key.slice("upload_".length)}`)).status]);
      return pass;
    },
  });
  expect((await stage.post(two())).status).toBe(201);
  expect(seen).toEqual([
    ["1.txt", 404],
    ["1.txt", 404],
    ["2.txt", 404],
    ["2.txt", 404],
  ]);
});

test.each([86_400_000, 1_000])(
  "a form whose files are looked into for long is not given up meanwhile, with %i ms for what nobody goes on with",
  async (expiresMs) => {
    const { stage, clock, sweep, verdicts } = await open({ uploads: { expiresMs, checkMs: 10 * minuteMs } });
    Object.defineProperty(verdicts, "get", {
      value: async () => {
        clock.advance(9 * minuteMs);
        await sweep();
        return pass;
      },
    });
    const { status, json } = await stage.post(formData(...["a", "b", "c", "d", "e"].map((name) => [name, `${name}.txt`, name] as const)));
    expect({ status, files: json.files?.length }).toEqual({ status: 201, files: 5 });
  },
);

describe("where the store of records fails while files become ready", () => {
  /** Fails updates that make a file ready from the `from`th on, as often as is told. */
  const failing = (from: number, times: number) => (store: UploadStore) => {
    let count = 0;
    const update: UploadStore["update"] = async (id, version, changes, limits) => {
      const isReady = JSON.stringify(changes.data ?? {}).includes('"status":"ready"');
      if (isReady) count += 1;
      if (isReady && count >= from && count < from + times) throw new Unavailable("The store is down.");
      return store.update(id, version, changes, limits);
    };
    return { ...store, update };
  };

  test.each([1, 2])("at file %i, nothing of the form is kept", async (from) => {
    const { stage } = await open({ store: failing(from, 1) });
    expect((await stage.post(two())).status).toBe(503);
    expect(await leftOf(stage)).toEqual(nothing);
    expect((await stage.post(two())).status).toBe(201);
  });

  /** Where the process dies, nothing can be taken back: the store takes no more. */
  const dying = (atReady: number) => (store: UploadStore) => {
    let [count, isDead] = [0, false];
    const requireLife = () => {
      if (isDead) throw new Unavailable("The process is dead.");
    };
    return {
      revive: () => {
        isDead = false;
        count = Number.NEGATIVE_INFINITY;
      },
      ...store,
      get: async (id: string) => {
        requireLife();
        return store.get(id);
      },
      remove: async (id: string, version: number) => {
        requireLife();
        return store.remove(id, version);
      },
      update: async (...[id, version, changes, limits]: Parameters<UploadStore["update"]>) => {
        if (JSON.stringify(changes.data ?? {}).includes('"status":"ready"')) count += 1;
        isDead ||= count === atReady;
        requireLife();
        return store.update(id, version, changes, limits);
      },
    };
  };

  test.each([
    { atReady: 1, statuses: [404, 404], keys: 0 },
    { atReady: 2, statuses: [200, 200], keys: 2 },
  ])("a process that dies before file $atReady leaves all of the form or nothing", async ({ atReady, statuses, keys }) => {
    let revive = () => {};
    const { stage, clock, sweep, readable } = await open({
      store: (inner) => {
        const store = dying(atReady)(inner);
        revive = store.revive;
        return store;
      },
    });
    expect((await stage.post(two())).status).toBe(503);
    revive();
    const before = await leftOf(stage);
    expect(before.records).toHaveLength(atReady === 1 ? 2 : 1);
    clock.advance(25 * 60 * minuteMs);
    await sweep();
    expect(before.keys.length).toBe(2);
    const ids = before.keys.map((key) => key.slice("upload_".length));
    expect(await readable(ids)).toEqual(statuses);
    expect((await leftOf(stage)).keys).toHaveLength(keys);
  });
});
