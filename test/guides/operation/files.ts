import { type BlobStore, createService, type Storage, type Verifier } from "restwright";
import { metadataCheck, pixelCheck } from "restwright/checks";
import { uploads } from "restwright/uploads";

/** The code of docs/guides/files.md, which a test compares with the page. */
export function files(storage: Storage, blobs: BlobStore, auth: readonly Verifier[]) {
  const service = createService({
    resources: [],
    storage,
    auth,
    anonymous: "allow",
    use: [
      uploads({
        blobs,
        types: ["image/png", "text/plain"],
        checks: [pixelCheck({ maxPixels: 40_000_000 }), metadataCheck()],
        maxBytes: 50_000_000,
        quotaBytes: (principal) => (principal.id === "anonymous" ? 0 : 500_000_000),
        forms: { avatars: { types: ["image/png"], files: ["avatar"], limits: { files: 1, fileBytes: 1_000_000 }, visibility: "public" } },
      }),
    ],
  });

  return service;
}
