// @long

import { createHash, randomBytes } from "node:crypto";
import { ApiError, attempt, createClient } from "restwright/client";
import { startUpload, type Upload, UploadRejectedError, type UploadRetry, type UploadStorage } from "restwright/client/uploads";
import { afterAll, describe, expect, expectTypeOf, onTestFinished, test, vi } from "vitest";
import { eventually } from "../tools/eventually.js";
import { type Fault, startFaultyProxy } from "./faultyProxy.js";
import { openShop, type ShopService, ways } from "./shopStage.js";

const mebibyte = 1_048_576;
const fileOf = (bytes: Uint8Array<ArrayBuffer>, name = "data.bin") => new File([bytes], name, { type: "application/octet-stream", lastModified: 1 });
const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function memory(): UploadStorage & { readonly kept: Map<string, string> } {
  const kept = new Map<string, string>();
  return { kept, getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value), removeItem: (key) => kept.delete(key) };
}

const random = vi.spyOn(Math, "random").mockReturnValue(0.01);
afterAll(() => random.mockRestore());

describe.each(ways)("Uploads of the client, %s,", (way) => {
  const stage = openShop(way);

  test("send a file in pieces, with their progress", async () => {
    const bytes = randomBytes(2.5 * mebibyte) as Uint8Array<ArrayBuffer>;
    const sent: string[] = [];
    const progress: number[] = [];
    const shop = stage().client({ onRequest: ({ operation }) => sent.push(operation) });
    const upload = startUpload(shop, fileOf(bytes, "dätä.bin"), {
      pieceBytes: mebibyte,
      metadata: { album: "summer" },
      onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes),
    });
    const file = await upload.done;
    expect(file).toMatchObject({
      filename: "dätä.bin",
      declaredContentType: "application/octet-stream",
      size: bytes.length,
      status: "ready",
      sha256: sha256(bytes),
    });
    expect(progress).toEqual([0, 0.4, 0.8, 1]);
    expect(sent).toEqual(["uploads.create", "uploads.append", "uploads.append", "uploads.append", "uploads.get"]);
    expect(await shop.uploads.get(file.id)).toMatchObject({ id: file.id });
    await shop.uploads.remove(file.id);
    await expect(shop.uploads.get(file.id)).rejects.toMatchObject({ status: 410 });
    expectTypeOf(file.url).toEqualTypeOf<string>();
  });

  test("send an empty file, and a blob without a name", async () => {
    expect(await startUpload(stage().client(), fileOf(new Uint8Array())).done).toMatchObject({ size: 0, status: "ready" });
    expect(await startUpload(stage().client(), new Blob(["hello"]), { filename: "a.txt" }).done).toMatchObject({ size: 5, filename: "a.txt" });
  });

  test("pause and go on", async () => {
    const bytes = randomBytes(mebibyte) as Uint8Array<ArrayBuffer>;
    const offsets: number[] = [];
    const upload = startUpload(stage().client(), fileOf(bytes), {
      pieceBytes: mebibyte / 8,
      onProgress({ sentBytes }) {
        offsets.push(sentBytes);
        if (sentBytes === mebibyte / 2 && offsets.filter((each) => each === sentBytes).length === 1) upload.pause();
      },
    });
    await eventually(() => expect(offsets.at(-1)).toBe(mebibyte / 2));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(offsets.at(-1)).toBeLessThanOrEqual(mebibyte / 2);
    upload.resume();
    upload.resume();
    expect(await upload.done).toMatchObject({ sha256: sha256(bytes) });
  });

  test("go on after a reload, where another call with the same file left off", async () => {
    const bytes = randomBytes(mebibyte) as Uint8Array<ArrayBuffer>;
    const storage = memory();
    const controller = new AbortController();
    const first = startUpload(stage().client(), fileOf(bytes), {
      storage,
      pieceBytes: mebibyte / 4,
      signal: controller.signal,
      onProgress: ({ sentBytes }) => sentBytes === mebibyte / 2 && controller.abort(new Error("reloaded")),
    });
    await expect(first.done).rejects.toThrow("reloaded");
    expect([...storage.kept.keys()]).toEqual([`restwright|${stage().baseUrl}|data.bin|application/octet-stream|${mebibyte}|1`]);
    const sent: string[] = [];
    const shop = stage().client({ onRequest: ({ operation }) => sent.push(operation) });
    const second = startUpload(shop, fileOf(bytes), { storage, pieceBytes: mebibyte / 4 });
    expect(await second.done).toMatchObject({ sha256: sha256(bytes) });
    expect(sent).toEqual(["uploads.offset", "uploads.append", "uploads.append", "uploads.get"]);
    expect(storage.kept.size).toBe(0);
  });

  test("begin anew if the upload that was left off is gone", async () => {
    const bytes = randomBytes(1_000) as Uint8Array<ArrayBuffer>;
    const storage = memory();
    storage.setItem(`restwright|${stage().baseUrl}|mine`, "/uploads/00000000000000000000000000000000");
    const upload = startUpload(stage().client(), fileOf(bytes), { storage, fingerprint: () => "mine" });
    expect(await upload.done).toMatchObject({ sha256: sha256(bytes) });
    expect(storage.kept.size).toBe(0);
  });

  test.each([100, 5_000])("begin anew if the upload that was left off is of another file, of %i bytes, with the same fingerprint", async (size) => {
    const storage = memory();
    const options = { storage, fingerprint: () => "mine", pieceBytes: 1_000 };
    const earlier: Upload = startUpload(stage().client(), fileOf(new Uint8Array(3_000)), {
      ...options,
      onProgress: ({ sentBytes }) => sentBytes > 1_000 && earlier.pause(),
    });
    earlier.done.catch(() => {});
    await expect.poll(() => storage.kept.size).toBe(1);
    const bytes = randomBytes(size) as Uint8Array<ArrayBuffer>;
    const upload = startUpload(stage().client(), fileOf(bytes), options);
    expect(await upload.done).toMatchObject({ sha256: sha256(bytes) });
  });

  test("end with the error of a refusal, which is not tried again", async () => {
    const storage = memory();
    const pdf = fileOf(
      new TextEncoder().encode("%PDF-1.4\n1 0 obj<</OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF"),
      "a.pdf",
    );
    const { error } = (await attempt(startUpload(stage().client(), pdf, { storage }).done)) as { error: ApiError };
    expect(error).toBeInstanceOf(ApiError);
    expect([415, 422]).toContain(error.status);
    expect(storage.kept.size).toBe(0);
    const refused = stage().client({ auth: () => ({ authorization: "Bearer nobody" }) });
    await expect(startUpload(refused, fileOf(new Uint8Array(3))).done).rejects.toMatchObject({ name: "AuthenticationError" });
  });

  test("are canceled, and nothing of them is kept", async () => {
    const storage = memory();
    const answered: string[] = [];
    const shop = stage().client({ onResponse: ({ operation, status }) => answered.push(`${operation} ${status}`) });
    for (const isPaused of [false, true]) {
      const upload: Upload = startUpload(shop, fileOf(new Uint8Array(mebibyte)), {
        storage,
        pieceBytes: mebibyte / 4,
        onProgress({ sentBytes }) {
          if (sentBytes !== mebibyte / 2) return;
          if (isPaused) upload.pause();
          // Within the answer to a piece: a timer can come after the last of them.
          void upload.cancel();
        },
      });
      await expect(upload.done).rejects.toMatchObject({ name: "AbortError" });
      await eventually(() => expect(answered.at(-1)).toBe("uploads.remove 204"));
      expect(storage.kept.size).toBe(0);
      answered.length = 0;
    }
    const done = startUpload(shop, fileOf(new Uint8Array(3)));
    const { id } = await done.done;
    await done.cancel();
    expect(await shop.uploads.get(id)).toMatchObject({ status: "ready" });
  });

  test("pause and go on where they were, if nothing keeps their address", async () => {
    const sent: string[] = [];
    const shop = stage().client({ onRequest: ({ operation }) => sent.push(operation) });
    const upload: Upload = startUpload(shop, fileOf(new Uint8Array(mebibyte)), {
      storage: false,
      pieceBytes: mebibyte / 2,
      onProgress: ({ sentBytes }) => sentBytes === mebibyte / 2 && !sent.includes("uploads.offset") && upload.pause(),
    });
    await eventually(() => expect(sent).toContain("uploads.append"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    upload.resume();
    await upload.done;
    expect(sent.filter((operation) => operation === "uploads.create")).toHaveLength(1);
  });

  test("refuse unknown options, and what is no client", () => {
    expect(() => startUpload(stage().client(), new Blob([]), { chunkSize: 5 } as object)).toThrow('startUpload has no option "chunkSize"');
    expect(() => startUpload({ uploads: {} }, new Blob([]))).toThrow("startUpload needs a client of createClient");
  });
});

describe("An upload through a proxy that fails", () => {
  const stage = openShop("over a socket");
  const faults: readonly Fault[] = ["none", "cut before", "cut after", "none", "429", "503", "502", "half body"];

  test("is whole, and sends no piece twice that was stored", async () => {
    let exchanges = 0;
    // Not the same fault for each piece, though each takes several exchanges.
    const proxy = await startFaultyProxy(stage().baseUrl, () => faults[(exchanges++ * 5 + Math.floor(exchanges / 8)) % faults.length] ?? "none");
    onTestFinished(() => proxy.close());
    const bytes = randomBytes(4 * mebibyte) as Uint8Array<ArrayBuffer>;
    const shop = stage().client({ baseUrl: proxy.url, maxRetries: 20 });
    const progress: number[] = [];
    const upload = startUpload(shop, fileOf(bytes), { pieceBytes: mebibyte / 4, onProgress: ({ sentBytes }) => progress.push(sentBytes) });
    expect(await upload.done).toMatchObject({ size: bytes.length, sha256: sha256(bytes) });
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(progress.at(-1)).toBe(bytes.length);
    for (const fault of faults) expect(proxy.counts.get(fault), fault).toBeGreaterThan(1);
  });

  test("tells of each try that failed, also of the first request, and goes on at once when it is told to", async () => {
    let isAway = true;
    const proxy = await startFaultyProxy(stage().baseUrl, () => (isAway ? "cut before" : "none"));
    onTestFinished(() => proxy.close());
    random.mockReturnValue(0.999);
    onTestFinished(() => void random.mockReturnValue(0.01));
    const told: UploadRetry[] = [];
    const startedAt = performance.now();
    const upload: Upload = startUpload(stage().client({ baseUrl: proxy.url }), fileOf(new Uint8Array(100)), {
      onRetry(retry) {
        told.push(retry);
        isAway = told.length < 5;
        upload.resume();
      },
    });
    expect(await upload.done).toMatchObject({ size: 100 });
    expect(told.map(({ failures }) => failures)).toEqual([1, 2, 3, 4, 5]);
    expect(told[0]).toMatchObject({ error: { name: "NetworkError" } });
    // Without `resume` it waits for all of the delays.
    expect(told.at(-1)?.delayMs).toBeGreaterThan(7_000);
    expect(performance.now() - startedAt).toBeLessThan(told.reduce((sumMs, { delayMs }) => sumMs + delayMs, 0));
  });

  test("fails when too many pieces in a row do", async () => {
    const proxy = await startFaultyProxy(stage().baseUrl, () => (isBroken ? "cut before" : "none"));
    let isBroken = false;
    onTestFinished(() => proxy.close());
    const upload = startUpload(stage().client({ baseUrl: proxy.url }), fileOf(new Uint8Array(100)), {
      pieceBytes: 10,
      maxRetries: 1,
      onProgress: ({ sentBytes }) => {
        isBroken = sentBytes >= 50;
      },
    });
    await expect(upload.done).rejects.toMatchObject({ name: "NetworkError" });
  });
});

test("A file that a check rejects later is an UploadRejectedError", async () => {
  const states = ["processing", "rejected"];
  const fetch = async ({ method }: Request) => {
    if (method === "POST") return new Response(null, { status: 201, headers: { location: "/v1/uploads/7" } });
    const status = states.shift();
    return new Response(JSON.stringify({ id: "7", status, error: { code: "VIRUS_DETECTED", detail: "A virus." } }), {
      headers: { "content-type": "application/json" },
    });
  };
  const shop = createClient<ShopService>({ baseUrl: "http://shop.test/v1", fetch });
  const { error } = (await attempt(startUpload(shop, new Blob([])).done)) as { error: UploadRejectedError };
  expect(error).toBeInstanceOf(UploadRejectedError);
  expect(error).toMatchObject({ name: "UploadRejectedError", code: "VIRUS_DETECTED", message: "A virus." });
});
