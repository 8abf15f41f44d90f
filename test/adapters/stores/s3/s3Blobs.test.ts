// @long

import { s3Blobs } from "restwright/s3";
import { afterAll, describe } from "vitest";
import { oneOf, sampleNote } from "../../../tools/extent.js";
import { testBlobs } from "../blobs/blobTests.js";
import { startS3Fake } from "./bucket/fake.js";
import { subjectOf } from "./bucket/subject.js";

const fake = await startS3Fake({ pageSize: 7 });
const r2 = await startS3Fake({ equalParts: true, keys: { accessKeyId: "lent", secretAccessKey: "for", sessionToken: "a+time/=" } });
afterAll(() => Promise.all([fake.close(), r2.close()]));

const unread = "the store cannot read drafts";

const variants = [
  [
    "with small pages",
    () => testBlobs(async () => subjectOf({ endpoint: fake.endpoint, region: fake.region, bucket: fake.bucket(), ...fake.keys }), [unread]),
  ],
  [
    "behind a prefix, all announced as small",
    () =>
      testBlobs(async () => {
        const store = s3Blobs({ endpoint: r2.endpoint, region: r2.region, bucket: r2.bucket(), prefix: "shop/files.", ...r2.keys });
        return { store: { ...store, open: (key, options) => store.open(key, { ...options, size: 1 }) } };
      }, ["no other store can be opened on the same data", "no process can die while it writes", unread]),
  ],
] as const;

describe.each(oneOf(variants))(`blobs in S3, %s${sampleNote}`, (_, tests) => tests());
