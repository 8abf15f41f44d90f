import { type AuthRequest, failure, type Verifier } from "../../../parts/auth/verifier.js";
import { loadTickets } from "./onDemand.js";
import type { TicketParts } from "./tickets.js";

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
