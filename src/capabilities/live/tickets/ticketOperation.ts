import type { Operation } from "../../../engine/operation/operation.js";
import { unauthenticated } from "../../../parts/auth/authenticate.js";
import { anonymous } from "../../../parts/auth/verifier.js";
import { loadTickets } from "./onDemand.js";
import type { TicketParts } from "./tickets.js";

/** POST to `/live/tickets`: a ticket for the caller. */
export function ticketOperation(parts: TicketParts): Operation {
  return {
    name: "live.createTicket",
    method: "POST",
    // The answer is a secret, and a second ticket does no harm.
    takesKey: false,
    standsAlone: true,
    access: { action: "read", collection: undefined },
    async run({ principal, environment, authRequest }) {
      if (principal === anonymous) throw unauthenticated(environment.verifiers, authRequest);
      const body = JSON.stringify((await loadTickets()).issueTicket(parts, principal));
      return { status: 201, headers: { "content-type": "application/json", "cache-control": "no-store" }, body };
    },
  };
}
