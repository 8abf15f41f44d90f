import { unknownMember } from "../../../engine/resource/write/unknownMembers.js";
import { isObject } from "../../../ground/http/isObject.js";
import { pointer } from "../../../ground/http/pointer.js";
import { type ProblemCode, ProblemError, type ProblemItem } from "../../../ground/problem/index.js";

/** Codes that a response can have as a whole; other faults of members are VALIDATION_FAILED. */
const answerCodes: ReadonlySet<ProblemCode> = new Set([
  "WEBHOOK_URL_NOT_HTTPS",
  "WEBHOOK_URL_NOT_ALLOWED",
  "UNKNOWN_EVENT",
  "INVALID_FILTER",
  "WEAK_SECRET",
]);

/** Collects the faults of the members of a body. */
export class MemberProblems {
  readonly #items: ProblemItem[] = [];

  /** The result of `read`; `undefined` if it throws a problem, which is collected. */
  read<Value>(read: () => Value): Value | undefined {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      this.#items.push(...error.errors);
      return undefined;
    }
  }

  add(item: ProblemItem): void {
    this.#items.push(item);
  }

  unknown(name: string, known: Iterable<string>): void {
    this.#items.push(unknownMember([name], known));
  }

  /** @throws {ProblemError} if there are faults: VALIDATION_FAILED, or the code that all of them have */
  refuse(): void {
    const [first] = this.#items;
    if (first === undefined) return;
    const isOneKind = answerCodes.has(first.code) && this.#items.every(({ code }) => code === first.code);
    const detail = this.#items.length === 1 ? first.detail : `${this.#items.length} members are not valid.`;
    throw new ProblemError(isOneKind ? first.code : "VALIDATION_FAILED", detail, { errors: this.#items });
  }
}

/** The members of a body. @throws {ProblemError} VALIDATION_FAILED if it is not an object */
export function membersOf(body: unknown): Readonly<Record<string, unknown>> {
  if (isObject(body)) return body;
  throw invalidMember([], "The body must be a JSON object.");
}

/** The fault of a member with an invalid value. */
export function invalidMember(path: readonly (string | number)[], detail: string, allowed?: readonly string[]): ProblemError {
  const item = { code: "INVALID_VALUE", detail, pointer: pointer(path), ...(allowed === undefined ? {} : { allowed }) } as const;
  return new ProblemError("VALIDATION_FAILED", detail, { errors: [item] });
}

/** The fault of a read-only member. */
export function readOnlyMember(name: string, detail = `"${name}" is set by the server.`): ProblemItem {
  return { code: "READ_ONLY_FIELD", detail, pointer: pointer([name]) };
}
