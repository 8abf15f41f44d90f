// @slow

import { randomUUID } from "node:crypto";
import { s3Blobs } from "restwright/s3";
import { afterAll, describe, test } from "vitest";
import { needs } from "../../../tools/engines.js";
import { testBlobs } from "../blobs/blobTests.js";
import { testAddresses } from "./bucket/addressTests.js";
import { startS3Fake } from "./bucket/fake.js";
import { leftOut } from "./bucket/leftOut.js";
import { subjectOf } from "./bucket/subject.js";

const fake = await startS3Fake();
afterAll(() => fake.close());

describe("addresses in S3", () =>
  testAddresses(() => s3Blobs({ endpoint: fake.endpoint, region: fake.region, bucket: fake.bucket(), ...fake.keys })));

const { S3_TEST_ENDPOINT, S3_TEST_SERVER, S3_TEST_BUCKET = "", S3_TEST_REGION } = process.env;
const { S3_TEST_ACCESS_KEY_ID = "", S3_TEST_SECRET_ACCESS_KEY = "" } = process.env;

if (S3_TEST_ENDPOINT === undefined) {
  test("blobs in S3 of S3_TEST_ENDPOINT", needs("s3"), () => {});
} else {
  const folder = `restwright-test/${randomUUID()}`;
  const location = { endpoint: S3_TEST_ENDPOINT, bucket: S3_TEST_BUCKET, region: S3_TEST_REGION };
  const keys = { accessKeyId: S3_TEST_ACCESS_KEY_ID, secretAccessKey: S3_TEST_SECRET_ACCESS_KEY };
  const exempt = leftOut[S3_TEST_SERVER ?? ""] ?? { contract: {}, addresses: {} };
  const prefixes: string[] = [];
  const options = () => {
    const prefix = `${folder}/${prefixes.length}/`;
    prefixes.push(prefix);
    return { ...location, ...keys, prefix };
  };

  // A server that was started for the tests goes with all that is in it.
  if (S3_TEST_SERVER === undefined)
    afterAll(async () => {
      for (const prefix of prefixes) {
        const store = s3Blobs({ ...location, ...keys, prefix });
        for await (const { key } of store.list("", { before: new Date(8.64e15) })) await store.delete(key);
      }
    }, 60_000);

  describe("blobs in S3 of S3_TEST_ENDPOINT", () => testBlobs(async () => subjectOf(options()), ["the store cannot read drafts"], exempt.contract));
  describe("addresses in S3 of S3_TEST_ENDPOINT", () => testAddresses(() => s3Blobs(options()), exempt.addresses));
}
