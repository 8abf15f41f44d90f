import { type SignedUse, signUrl, verifySignedUrl } from "../../blobs/signedUrl.js";
import type { Environment } from "../../operation/environment.js";
import type { Upload } from "../records/upload.js";

type Signing = Pick<Environment, "clock" | "secrets">;

/** The path, below the mount, to which the file of an upload can be sent without credentials. */
export function signDirect({ secrets }: Pick<Signing, "secrets">, upload: Upload, expiresAt: number): string {
  return signUrl(secrets, useOf(upload), expiresAt);
}

/**
 * Refuses a query that is not that of such an address, or not any more.
 *
 * @throws {ProblemError} INVALID_SIGNATURE
 */
export function verifyDirect({ clock, secrets }: Signing, upload: Upload, query: string): void {
  verifySignedUrl(secrets, useOf(upload), query, clock.now());
}

/** Whose it is, and what was said of the file: all of it stands in the record, and is signed without being sent along. */
function useOf({ record, data }: Upload): SignedUse {
  const announced = [data.declaredType ?? null, data.length ?? null, data.direct?.sha256 ?? null];
  return {
    method: "PUT",
    path: `/uploads/direct/${record.id}`,
    owner: JSON.stringify(["direct", record.tenant ?? null, record.owner, ...announced]),
  };
}
