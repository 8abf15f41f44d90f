// @slow

import { type S3Location, s3Blobs } from "restwright/s3";
import { describe, expect, test } from "vitest";
import { pathOf, resolveBucket, urlOf } from "../../../../adapters/stores/s3/call/bucketLocation.js";
import { elementsOf, escapeXml, textOf } from "../../../../adapters/stores/s3/call/xml.js";
import { bytesOf } from "../blobs/blobContents.js";
import { listed, openStage, put } from "./bucket/stage.js";

const keys = { accessKeyId: "AKID", secretAccessKey: "secret" };

test.each<[Partial<S3Location>, string]>([
  [{ endpoint: "https://s3.eu-west-1.amazonaws.com" }, "https://shop.s3.eu-west-1.amazonaws.com/a"],
  [{ endpoint: "https://s3.eu-west-1.amazonaws.com", bucket: "shop.example" }, "https://s3.eu-west-1.amazonaws.com/shop.example/a"],
  [{ endpoint: "https://s3.eu-west-1.amazonaws.com/", pathStyle: true }, "https://s3.eu-west-1.amazonaws.com/shop/a"],
  [{ endpoint: "http://localhost:9000", prefix: "uploads/x-" }, "http://localhost:9000/shop/uploads/x-a"],
  [{ endpoint: "https://account.r2.cloudflarestorage.com", pathStyle: false }, "https://shop.account.r2.cloudflarestorage.com/a"],
  [{ endpoint: "https://project.example.com/storage/v1/s3/" }, "https://project.example.com/storage/v1/s3/shop/a"],
  [{ endpoint: "http://[::1]:9000" }, "http://[::1]:9000/shop/a"],
])("a blob of %j is at %s", (location, address) => {
  const { endpoint = "", ...options } = location;
  const place = resolveBucket(endpoint, { bucket: "shop", ...options });
  expect(urlOf(place, pathOf(place, "a"), []).href).toBe(address);
});

test.each<[Partial<S3Location & typeof keys>, RegExp]>([
  [{ endpoint: "localhost:9000" }, /endpoint of S3 must be an address like/],
  [{ endpoint: "ftp://localhost" }, /endpoint of S3/],
  [{ endpoint: "http://ada:secret@localhost" }, /^(?!.*ada).*endpoint of S3/],
  [{ publicEndpoint: "/files" }, /endpoint of S3/],
  [{ bucket: "" }, /must have 3 to 63 .*; got ""/],
  [{ bucket: "a/b" }, /must have 3 to 63 .*; got "a\/b"/],
  [{ prefix: "/uploads/" }, /The prefix must consist of letters/],
  [{ prefix: "a/../b" }, /The prefix must consist of/],
  [{ prefix: "über/" }, /The prefix must consist of/],
  [{ accessKeyId: "" }, /S3 needs accessKeyId and secretAccessKey, or credentials/],
])("options that cannot work are a TypeError: %j", (wrong, message) => {
  const open = () => s3Blobs({ endpoint: "http://localhost:9000", bucket: "bucket", ...keys, ...wrong });
  expect(open).toThrow(TypeError);
  expect(open).toThrow(message);
});

test("a type that no header can carry is a TypeError, and nothing is begun", async () => {
  const { store, calls } = await openStage();
  for (const contentType of ["text/ü", "text/plain\r\nx-amz-acl: public-read"])
    await expect(store.open("a", { contentType })).rejects.toThrow(TypeError);
  expect(calls()).toEqual([]);
});

test("what others keep in the bucket is neither listed nor touched", async () => {
  const { fake, store, inside, location } = await openStage({ prefix: "shop/" });
  const other = s3Blobs({ ...location, ...fake.keys, prefix: "" });
  await put(store, "mine", Buffer.from("mine"));
  await put(other, "mine", Buffer.from("other"));
  const mine = inside.objects.get("shop/mine");
  for (const key of ["shop/", "shop/a.b", "shop/mine/deeper", "shop/ü&<x>", "shopping"]) if (mine !== undefined) inside.objects.set(key, mine);
  expect((await listed(store)).map(({ key }) => key)).toEqual(["mine"]);
  expect((await listed(other)).map(({ key }) => key)).toEqual(["mine", "shopping"]);
  expect(await listed(store, "../mi")).toEqual([]);
  expect(await store.delete("mine")).toBe(true);
  expect(await bytesOf(other, "mine")).toEqual(Buffer.from("other"));
  expect(inside.objects.size).toBe(6);
});

test("keys that are fetched are asked for anew", async () => {
  const { fake, location } = await openStage();
  let count = 0;
  const store = s3Blobs({ ...location, credentials: async () => (count++ < 2 ? fake.keys : { ...keys, secretAccessKey: "expired" }) });
  await put(store, "a", Buffer.from("a"), { size: 1 });
  expect(count).toBe(2);
  await expect(store.stat("a")).rejects.toThrow("403 Forbidden");
  const cause = new Error("no role");
  const keyless = s3Blobs({ ...location, credentials: () => Promise.reject(cause) });
  await expect(keyless.ping?.()).rejects.toMatchObject({
    name: "Unavailable",
    message: expect.stringContaining(`Check the option "credentials"`),
    cause,
  });
});

describe("a signed address", () => {
  const bytes = Buffer.from("a,b\n1,2\n");

  async function setUp(options: Partial<S3Location> = {}) {
    let nowMs = Date.now();
    const stage = await openStage({ ...options }, { now: () => nowMs, keys: { ...keys, sessionToken: "a+token/=" } });
    await put(stage.store, "report", bytes, { contentType: "text/csv" });
    const presign = async (filename?: string) =>
      (await stage.store.presignGet?.("report", { expiresIn: 60, filename, contentType: "text/plain; a=b" })) ?? "";
    return { ...stage, presign, advance: (ms: number) => (nowMs += ms) };
  }

  test("is answered with the bytes, to be saved under the name that was given", async () => {
    const { presign } = await setUp();
    const response = await fetch(await presign("Übersicht 1.csv"));
    expect(response.status).toBe(200);
    expect(Buffer.from(await response.arrayBuffer())).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain; a=b",
      "content-disposition": "attachment; filename=\"Ubersicht 1.csv\"; filename*=UTF-8''%C3%9Cbersicht%201.csv",
    });
  });

  test("is of no use when its time is over, for anything else than GET, or changed", async () => {
    const { presign, advance, inside } = await setUp();
    const address = await presign();
    const statuses = async (...requests: [string, string][]) => {
      const answers = await Promise.all(requests.map(([method, url]) => fetch(url, { method, ...(method === "PUT" ? { body: "x" } : {}) })));
      return answers.map(({ status }) => status);
    };
    const changed = [address.replace("/report", "/other"), address.replace("Expires=60", "Expires=600"), address.replace("attachment", "inline")];
    expect(new Set(changed).size).toBe(3);
    expect(await statuses(["GET", address], ["PUT", address], ["DELETE", address])).toEqual([200, 403, 403]);
    expect(await statuses(...changed.map((url): [string, string] => ["GET", url]))).toEqual([403, 403, 403]);
    advance(61_000);
    expect(await statuses(["GET", address])).toEqual([403]);
    expect(inside.objects.size).toBe(1);
  });

  test("begins where clients reach the endpoint, and is for as long as S3 allows", async () => {
    const { store, presign } = await setUp({ publicEndpoint: "https://files.example.com" });
    expect(await presign()).toMatch(/^https:\/\/files\.example\.com\/bucket-1\/report\?X-Amz-Algorithm=/);
    for (const expiresIn of [0, -1, 1.5, 604_801, Number.NaN])
      await expect(store.presignGet?.("report", { expiresIn })).rejects.toThrow("1 to 604800 seconds");
  });
});

test("elements are read as S3 writes them", () => {
  const xml = `<?xml version="1.0"?>\n<R xmlns="x"><Part><Key>a&amp;b&#x2F;&#47;&lt;</Key></Part><PartNumber>1</PartNumber><Part x="y"><Key/></Part></R>`;
  expect(elementsOf(xml, "Part")).toHaveLength(2);
  expect(textOf(xml, "Key")).toBe("a&b//<");
  expect(textOf(xml, "Size")).toBeUndefined();
  expect(textOf("<A>&unknown; &#99999999999;</A>", "A")).toBe("&unknown; &#99999999999;");
  expect(escapeXml(`<a & "b">`)).toBe(`&lt;a &amp; "b"&gt;`);
});
