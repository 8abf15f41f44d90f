import { declaredTypeOf } from "../../parts/checks/readCheckInput.js";
import { rejectionProblem } from "../../parts/checks/rejection.js";
import { extensionOf } from "../../parts/checks/types/extensionOf.js";
import { rejectClaim } from "../../parts/checks/types/typeCheck.js";
import type { UploadSettings } from "./records/settings.js";

/** @throws {ProblemError} TYPE_NOT_ALLOWED for a file whose name or declared type is not accepted */
export function requireAcceptedClaim({ types }: Pick<UploadSettings, "types">, filename: string, declaredType: string | undefined): void {
  const rejection = rejectClaim(types, { extension: extensionOf(filename), declaredType: declaredTypeOf(declaredType) });
  if (rejection !== undefined) throw rejectionProblem(rejection);
}
