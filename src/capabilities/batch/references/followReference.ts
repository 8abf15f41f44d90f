import type { Reference } from "./reference.js";

/** The result of an executed operation, as JSON values. */
export interface SubResult {
  readonly status: number;
  readonly id?: unknown;
  readonly data?: unknown;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  readonly error?: unknown;
}

/** The value of a reference, or the members at the last step that exists. */
export type Followed = { readonly value: unknown } | { readonly members: readonly string[] };

const arrayIndex = /^(?:0|[1-9]\d{0,8})$/;
/** The most members that a message lists, and their longest names. */
const shownMembers = 20;
const shownLength = 64;

/** Resolves steps in a result: own members of objects and elements of arrays, nothing from prototypes. */
export function followReference({ steps }: Reference, result: SubResult): Followed {
  let value: unknown = result;
  for (const step of steps) {
    const next = ownMember(value, step);
    if (next === undefined) return { members: membersOf(value) };
    value = next;
  }
  return { value };
}

function ownMember(value: unknown, step: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  if (Array.isArray(value) && !arrayIndex.test(step)) return undefined;
  return Object.hasOwn(value, step) ? (value as Readonly<Record<string, unknown>>)[step] : undefined;
}

function membersOf(value: unknown): string[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const present = Object.entries(value).filter(([, member]) => member !== undefined);
  return present.slice(0, shownMembers).map(([name]) => name.slice(0, shownLength));
}
