/** Names of scenarios that a server is let off, and why. */
type Reasons = Readonly<Record<string, string>>;

const slow = "It takes Swift two seconds and more, and asks nothing of it that other scenarios do not.";

/** What is not asked of a server, by its name in S3_TEST_SERVER: leave that unset to ask it all the same. */
export const leftOut: Readonly<Record<string, { readonly contract: Reasons; readonly addresses: Reasons }>> = {
  // OpenStack Swift 2.30, as .ci/s3.sh starts it.
  swift: {
    contract: {
      "drafts › a completed draft cannot be resumed":
        "Swift finds an upload by the object that was made of it too (_get_upload_info in s3api/controllers/multi_upload.py): ListParts is 200, not NoSuchUpload.",
      "list › blobs can be deleted while they are listed": slow,
      "races › many blobs can be written concurrently": slow,
      "races › a reader gets one complete blob or an error while others overwrite it": slow,
      "drafts › drafts of several keys can be written concurrently": slow,
      "drafts › a writer that takes over a draft in another process has its own bytes": slow,
    },
    addresses: {
      "an address refuses bytes of another hash": "Swift takes x-amz-checksum-sha256 for a header like any other.",
    },
  },
};
