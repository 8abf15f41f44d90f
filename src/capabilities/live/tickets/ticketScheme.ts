import type { Operation } from "../../../engine/operation/operation.js";
import { onDemand } from "../../../ground/onDemand/onDemand.js";
import { unauthenticated } from "../../../parts/auth/authenticate.js";
import { type AuthRequest, anonymous, failure, type Verifier } from "../../../parts/auth/verifier.js";
import type { TicketParts } from "./tickets.js";

const loadTickets = /* @__PURE__ */ onDemand(() => import("./tickets.js"));

/**
 * Tickets as credentials of event streams, for `EventSource`, which sends no headers.
 *
 * @param parts available after the service has started
 * @param isStream whether a request asks for events
 */
export function ticketScheme(parts: TicketParts, isStream: (request: AuthRequest) => boolean): Verifier {
  return {
    scheme: "liveTicket",
    headers: [],
    parameters: ["ticket"],
    securityScheme: { type: "apiKey", in: "query", name: "ticket" },
    challenge: () => undefined,
    async verify(request) {
      if (!/(?:^|&)ticket=/.test(request.query) || !isStream(request)) return null;
      const [ticket = "", ...others] = new URLSearchParams(request.query).getAll("ticket");
      return others.length > 0 ? failure : (await loadTickets()).useTicket(parts, ticket);
    },
  };
}

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
