import type { Environment } from "../../../engine/operation/environment.js";
import { type SignedUse, signUrl, verifySignedUrl } from "../../../parts/blobs/signedUrl.js";
import type { Upload } from "../records/upload.js";

type Signing = Pick<Environment, "clock" | "secrets">;

/** The signed path, relative to the mount, to which the file of an upload can be sent without credentials. */
export function signDirect({ secrets }: Pick<Signing, "secrets">, upload: Upload, expiresAt: number): string {
  return signUrl(secrets, useOf(upload), expiresAt);
}

/**
 * Rejects a query whose signature is invalid or expired.
 *
 * @throws {ProblemError} INVALID_SIGNATURE
 */
export function verifyDirect({ clock, secrets }: Signing, upload: Upload, query: string): void {
  verifySignedUrl(secrets, useOf(upload), query, clock.now());
}

/** Signs the owner and what the client announced about the file. Both are in the record, so the URL does not contain them. */
function useOf({ record, data }: Upload): SignedUse {
  const announced = [data.declaredType ?? null, data.length ?? null, data.direct?.sha256 ?? null];
  return {
    method: "PUT",
    path: `/uploads/direct/${record.id}`,
    owner: JSON.stringify(["direct", record.tenant ?? null, record.owner, ...announced]),
  };
}
