import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { type Dispatcher, standsAlone } from "../execute/dispatcher.js";
import type { BatchMode } from "../execute/results/result.js";
import { checkReferences } from "../references/checkReferences.js";
import type { GivenOperation } from "./readOperations.js";
import { readSuboperation, type Suboperation, suboperationName } from "./suboperation.js";
import { suboperationFault } from "./suboperationFault.js";
import type { UrlRules } from "./suboperationUrl.js";

/** A parsed operation, or the problem of an invalid one. */
export interface ValidatedOperation {
  readonly label: string | undefined;
  readonly operation: Suboperation | undefined;
  readonly fault: ProblemError | undefined;
}

/** Rules for all operations of a batch. */
export interface SuboperationRules extends UrlRules {
  readonly mode: BatchMode;
  /** Whether an operation may have an Idempotency-Key. */
  readonly takesKeys: boolean;
}

/**
 * Parses every operation before any of them is executed.
 *
 * @throws {ProblemError} ATOMIC_UNSUPPORTED if an operation of an atomic batch has an effect that a rollback cannot undo
 */
export async function validateOperations(
  given: readonly GivenOperation[],
  dispatcher: Dispatcher,
  rules: SuboperationRules,
): Promise<readonly ValidatedOperation[]> {
  const read = await mapInTurns(given, (each, index) => readOne(each, index, dispatcher, rules));
  const named = read.map(
    ({ operation, label }, index) => operation ?? { index, name: suboperationName({ name: label }), path: "/", body: undefined },
  );
  const references = await checkReferences(named);
  return read.map((each, index) => ({ ...each, fault: each.fault ?? references.get(index) }));
}

function readOne({ label, value, fault }: GivenOperation, index: number, dispatcher: Dispatcher, rules: SuboperationRules): ValidatedOperation {
  if (fault !== undefined) return { label, operation: undefined, fault };
  try {
    const known = suboperationName({ name: label });
    const named = known === undefined || typeof value !== "object" ? value : { ...value, name: known };
    const operation = readSuboperation(named, index, rules);
    requireFit(operation, dispatcher, rules);
    return { label, operation, fault: undefined };
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code === "ATOMIC_UNSUPPORTED") throw error;
    return { label, operation: undefined, fault: error };
  }
}

function requireFit({ method, path, headers }: Suboperation, dispatcher: Dispatcher, { mode, takesKeys }: SuboperationRules): void {
  const found = dispatcher.find(method, path)?.operation;
  if (found?.standsAlone) throw standsAlone(method, path);
  if (mode !== "atomic") return;
  if (found?.hasOwnEffects) {
    throw new ProblemError("ATOMIC_UNSUPPORTED", `${method} ${path.slice(0, 64)} has effects elsewhere: a batch with it cannot be atomic.`);
  }
  if (!takesKeys && headers.includes("idempotency-key")) {
    const fault = suboperationFault("/headers/idempotency-key", "Its record cannot commit with an atomic batch; give the key to the batch.");
    throw new ProblemError("INVALID_BATCH", fault.detail, { errors: [fault] });
  }
}
