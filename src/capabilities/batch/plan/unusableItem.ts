import { isObject } from "../../../ground/http/isObject.js";
import { checkJson, checkValue, type JsonCheck, type JsonLimits } from "../../../ground/http/json/checkJson.js";
import { readJson } from "../../../ground/http/json/readJson.js";
import { mapInTurns } from "../../../ground/http/yieldToEventLoop.js";
import { ProblemError } from "../../../ground/problem/index.js";

/** Replaces an item with text that stores cannot hold, or with an integer that would be rounded, so that only the item fails and not the batch. */
class UnusableItem {
  readonly #item: unknown;
  readonly #problem: ProblemError;

  constructor(item: unknown, problem: ProblemError) {
    this.#item = item;
    this.#problem = problem;
  }

  /** The pointer may contain the invalid text. It is not an own member, so that a check of the whole body does not find it. */
  get problem(): ProblemError {
    return this.#problem;
  }

  /** A batch that continues as a job validates the item again. */
  toJSON(): unknown {
    return this.#item;
  }
}

/** @throws {ProblemError} VALIDATION_FAILED for an item with text that stores cannot hold, INVALID_VALUE for one with an integer that would be rounded */
export function usable<Item>(item: Item): Item {
  if (item instanceof UnusableItem) throw item.problem;
  return item;
}

/**
 * The value of a batch's body. Text that stores cannot hold (NUL, half of a surrogate pair) and integers that would be rounded are faults of their item only.
 *
 * @throws {ProblemError} MALFORMED_JSON; VALIDATION_FAILED, INVALID_VALUE for such text and integers outside of the items
 */
export async function parseBatchJson(bytes: Uint8Array, limits: JsonLimits): Promise<unknown> {
  let hasRounded = false;
  const onRounded = () => {
    hasRounded = true;
  };
  const value = await readJson(bytes, limits, { checksText: false, onRounded });
  // Without an escape, text cannot contain anything that UTF-8 and the parser have not already rejected.
  return hasRounded || Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes("\\u") ? withoutUnusable(value, limits) : value;
}

/** Parts of a multipart body are nested deeper in the batch than in their own bodies, whose limits were checked before. */
const depthOfParts = 4;
const timesTheValues = 4;

/** The same for a value that was parsed elsewhere, or that was stored by a job. */
export function checkBatchJson(value: unknown, limits: JsonLimits): Promise<unknown> {
  return withoutUnusable(value, { ...limits, depth: limits.depth + depthOfParts, values: limits.values * timesTheValues });
}

async function withoutUnusable(value: unknown, limits: JsonLimits): Promise<unknown> {
  if (!isObject(value)) {
    checkJson(value, limits);
    return value;
  }
  // The limits apply to all items together; members other than the items are checked as one value.
  const check: JsonCheck = { ...limits, seen: 0, checksText: true, hasLarge: false };
  const rest: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, list] of Object.entries(value)) {
    body[name] = Array.isArray(list) ? await mapInTurns(list, (item: unknown, index) => asUsable(item, [name, index], check)) : list;
    rest[name] = Array.isArray(list) ? [] : list;
  }
  checkValue(rest, [], check);
  return body;
}

function asUsable(item: unknown, path: (string | number)[], check: JsonCheck): unknown {
  try {
    checkValue(item, path, check);
    return item;
  } catch (error) {
    // A job would not know that a parser of the host has rounded a number.
    const codes = check.isRounded ? ["VALIDATION_FAILED"] : ["VALIDATION_FAILED", "INVALID_VALUE"];
    if (!(error instanceof ProblemError) || !codes.includes(error.code)) throw error;
    return new UnusableItem(item, withinItem(item, check));
  }
}

/** The same problem, with a pointer from the item. */
function withinItem(item: unknown, limits: JsonLimits): ProblemError {
  try {
    checkJson(item, limits);
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error("An item with text that cannot be stored was expected, but it has none.");
}
