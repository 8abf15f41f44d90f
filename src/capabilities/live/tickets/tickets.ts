import { randomUUID } from "node:crypto";
import type { Environment } from "../../../engine/operation/environment.js";
import { ProblemError } from "../../../ground/problem/index.js";
import { secretBoxOf } from "../../../ground/secrets/secretBox.js";
import { SecretBoxError } from "../../../ground/secrets/secretBoxError.js";
import type { IdempotencyStore } from "../../../ground/storage/idempotency.js";
import { failure, type Principal } from "../../../parts/auth/verifier.js";
import { recordId } from "../../../parts/idempotency/fingerprint.js";

/** How long a ticket can be used, in milliseconds. */
const ticketMs = 60_000;
/** The most characters of a ticket: servers and proxies refuse long URLs. */
const maxCharacters = 4_096;
/** What tickets are sealed for. */
const use = "live ticket";

/** What tickets need of a service. */
export interface TicketParts {
  readonly environment: Pick<Environment, "clock" | "secrets">;
  /** Where used tickets are noted, for all processes. */
  readonly records: IdempotencyStore;
}

/** What a ticket says, sealed: it may be seen in a log. */
interface TicketText {
  readonly id: string;
  readonly principal: Principal;
  readonly expiresMs: number;
}

/**
 * A text by which a client without headers acts as a principal, once, within a minute.
 *
 * @throws {ProblemError} NOT_SUPPORTED if scopes and claims are too long for a URL
 */
export function issueTicket(
  { environment: { clock, secrets } }: TicketParts,
  principal: Principal,
): { readonly ticket: string; readonly expiresAt: Date } {
  const expiresMs = clock.now() + ticketMs;
  const text: TicketText = { id: randomUUID(), principal, expiresMs };
  const ticket = secretBoxOf(secrets).seal(JSON.stringify(text), use);
  if (ticket.length > maxCharacters) throw new ProblemError("NOT_SUPPORTED", "The scopes and claims of the caller are too long for a ticket.");
  return { ticket, expiresAt: new Date(expiresMs) };
}

/** The principal of a ticket, which cannot be used again. */
export async function useTicket({ environment: { clock, secrets }, records }: TicketParts, ticket: string): Promise<Principal | typeof failure> {
  const text = openTicket(secrets, ticket);
  if (text === undefined || clock.now() >= text.expiresMs) return failure;
  const { id, principal } = text;
  const operationId = randomUUID();
  // The begin that acquires the record has used the ticket. Lease and record outlive the ticket by a minute, in case the clocks of store and process differ.
  const times = { leaseMs: 2 * ticketMs, ttlMs: 2 * ticketMs };
  const begun = await records.begin(recordId(principal.tenant, principal.id, `${use} ${id}`), { fingerprint: use, operationId, ...times });
  return begun.kind === "acquired" && begun.operationId === operationId ? principal : failure;
}

function openTicket(secrets: Environment["secrets"], ticket: string): TicketText | undefined {
  try {
    return JSON.parse(secretBoxOf(secrets).open(ticket, use)) as TicketText;
  } catch (error) {
    if (error instanceof SecretBoxError) return undefined;
    throw error;
  }
}
