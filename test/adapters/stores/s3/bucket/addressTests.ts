import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { BlobStore, DirectParts, PresignedPut, PresignPutOptions } from "../../../../../src/ground/storage/files/blobs.js";
import { bytesOf } from "../../blobs/blobContents.js";
import { manyBytes, mebibyte, put } from "./stage.js";

const bytes = Buffer.from("hello, world");
const sha256 = createHash("sha256").update(bytes).digest("hex");
const announced: PresignPutOptions = { contentType: "text/plain; charset=utf-8", size: bytes.length, sha256, expiresIn: 60 };

const refusals: Readonly<Record<string, (presigned: PresignedPut) => RequestInit>> = {
  "an address refuses another type": ({ headers }) => ({ headers: { ...headers, "content-type": "text/html" } }),
  "an address refuses more bytes": ({ headers }) => ({ headers, body: Buffer.concat([bytes, bytes]) }),
  "an address refuses to go without the hash": ({ headers: { "x-amz-checksum-sha256": _hash, ...headers } }) => ({ headers }),
  "an address refuses bytes of another hash": ({ headers }) => ({ headers, body: Buffer.from("HELLO, WORLD") }),
};

/** What clients do at the addresses that a store signs, on any server; of what an address refuses some may be in `leftOut`. */
export function testAddresses(open: () => BlobStore, leftOut: Readonly<Record<string, string>> = {}): void {
  test("an address to fetch a blob has its bytes, with the type and the name that it was signed with", async () => {
    const store = open();
    await put(store, "fetched", bytes, { contentType: "text/csv" });
    const url = await store.presignGet?.("fetched", { expiresIn: 60, filename: 'Über "uns" & mehr+.txt', contentType: "text/plain; charset=utf-8" });
    const response = await fetch(url ?? "");
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": expect.stringMatching(/^attachment; .*filename\*=UTF-8''%C3%9Cber%20/),
    });
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
  });

  test("an address to send a blob takes the one that it was signed for", async () => {
    const store = open();
    const presigned = await presign(store, "sent");
    expect((await fetch(presigned.url, { method: presigned.method, headers: presigned.headers, body: bytes })).status).toBe(200);
    expect(await store.stat("sent")).toMatchObject({ size: bytes.length, contentType: announced.contentType });
    expect(await bytesOf(store, "sent")).toEqual(bytes);
  });

  for (const [name, change] of Object.entries(refusals)) {
    if (leftOut[name] !== undefined) continue;
    test(name, async () => {
      const store = open();
      const presigned = await presign(store, "refused");
      const response = await fetch(presigned.url, { method: presigned.method, body: bytes, ...change(presigned) });
      expect([400, 403]).toContain(response.status);
      await response.text();
      expect(await store.stat("refused")).toBeUndefined();
    });
  }

  test("parts that clients send become a blob, as often as it is asked for", async () => {
    const store = open();
    const direct = directOf(store);
    const large = manyBytes(9 * mebibyte);
    const draft = await direct.begin("parts", { contentType: "video/mp4", size: large.length });
    for (const { n, url } of await direct.presign("parts", draft, [2, 1], { expiresIn: 60 })) {
      const body = large.subarray((n - 1) * draft.partBytes, n * draft.partBytes);
      expect((await fetch(url, { method: "PUT", body })).status).toBe(200);
    }
    expect((await direct.list("parts", draft)).map(({ n, size }) => [n, size])).toEqual([
      [1, 8 * mebibyte],
      [2, mebibyte],
    ]);
    expect(await direct.complete("parts", draft, large.length - 1)).toBeUndefined();
    const made = await direct.complete("parts", draft, large.length);
    expect(made).toMatchObject({ size: large.length, contentType: "video/mp4" });
    expect(await direct.complete("parts", draft, large.length)).toEqual(made);
    expect((await bytesOf(store, "parts")).equals(large)).toBe(true);
  });

  test("parts that are too small for S3 become no blob, and none at all an empty one", async () => {
    const store = open();
    const direct = directOf(store);
    const draft = await direct.begin("small", { contentType: undefined, size: 2 });
    for (const { url } of await direct.presign("small", draft, [1, 2], { expiresIn: 60 }))
      await fetch(url, { method: "PUT", body: Buffer.from("a") });
    expect(await direct.complete("small", draft, 2)).toBeUndefined();
    expect(await store.stat("small")).toBeUndefined();
    const empty = await direct.begin("empty", { contentType: undefined, size: 0 });
    expect(await direct.complete("empty", empty, 0)).toMatchObject({ size: 0 });
  });

  test("no refusal is left out that there is not", () => {
    expect(Object.keys(refusals)).toEqual(expect.arrayContaining(Object.keys(leftOut)));
  });
}

async function presign(store: BlobStore, key: string): Promise<PresignedPut> {
  const presigned = await store.presignPut?.(key, announced);
  if (presigned === undefined) throw new Error("The store signs nothing.");
  return presigned;
}

function directOf({ directParts }: BlobStore): DirectParts {
  if (directParts === undefined) throw new Error("The store takes no parts of clients.");
  return directParts;
}
