import { randomUUID } from "node:crypto";
import { type S3Keys, type S3Location, s3Blobs } from "restwright/s3";
import type { BlobSubject } from "restwright/testing";
import { afterAll, describe } from "vitest";
import { testBlobs } from "./blobTests.js";
import { dieWriting } from "./s3/dieWriting.js";
import { startS3Fake } from "./s3/fake.js";

const fake = await startS3Fake({ pageSize: 7 });
const r2 = await startS3Fake({ equalParts: true, keys: { accessKeyId: "lent", secretAccessKey: "for", sessionToken: "a+time/=" } });
afterAll(() => Promise.all([fake.close(), r2.close()]));

const unread = "the store cannot read drafts";

function subjectOf(options: S3Location & S3Keys): BlobSubject {
  return {
    store: s3Blobs(options),
    again: async () => s3Blobs(options),
    dieWriting: (key, bytes) => dieWriting(options, key, bytes),
  };
}

describe("blobs in S3, with small pages", () =>
  testBlobs(async () => subjectOf({ endpoint: fake.endpoint, region: fake.region, bucket: fake.bucket(), ...fake.keys }), [unread]));

describe("blobs in S3 behind a prefix, all announced as small", () =>
  testBlobs(async () => {
    const store = s3Blobs({ endpoint: r2.endpoint, region: r2.region, bucket: r2.bucket(), prefix: "shop/files.", ...r2.keys });
    return { store: { ...store, open: (key, options) => store.open(key, { ...options, size: 1 }) } };
  }, ["no other store can be opened on the same data", "no process can die while it writes", unread]));

const { S3_TEST_ENDPOINT, S3_TEST_BUCKET = "", S3_TEST_REGION, S3_TEST_ACCESS_KEY_ID = "", S3_TEST_SECRET_ACCESS_KEY = "" } = process.env;

if (S3_TEST_ENDPOINT === undefined) {
  process.stdout.write("S3_TEST_ENDPOINT is not set: blobs are tested on a server that stands for S3, and on no other.\n");
} else {
  const folder = `restwright-test/${randomUUID()}`;
  const location = { endpoint: S3_TEST_ENDPOINT, bucket: S3_TEST_BUCKET, region: S3_TEST_REGION };
  const keys = { accessKeyId: S3_TEST_ACCESS_KEY_ID, secretAccessKey: S3_TEST_SECRET_ACCESS_KEY };
  const prefixes: string[] = [];

  afterAll(async () => {
    for (const prefix of prefixes) {
      const store = s3Blobs({ ...location, ...keys, prefix });
      for await (const { key } of store.list("", { before: new Date(8.64e15) })) await store.delete(key);
    }
  });

  describe("blobs in S3 of S3_TEST_ENDPOINT", () =>
    testBlobs(async () => {
      const prefix = `${folder}/${prefixes.length}/`;
      prefixes.push(prefix);
      return subjectOf({ ...location, ...keys, prefix });
    }, [unread]));
}
