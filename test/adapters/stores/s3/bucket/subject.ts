import { type S3Keys, type S3Location, s3Blobs } from "restwright/s3";
import type { BlobSubject } from "restwright/testing";
import { dieWriting } from "./dieWriting.js";

/** A bucket, for the contract of blobs. */
export function subjectOf(options: S3Location & S3Keys): BlobSubject {
  return {
    store: s3Blobs(options),
    again: async () => s3Blobs(options),
    dieWriting: (key, bytes) => dieWriting(options, key, bytes),
  };
}
