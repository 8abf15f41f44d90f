import type { HttpRequest, HttpResponse } from "../../src/ground/http/message.js";
import { wireResponse } from "../../src/ground/http/wireResponse.js";
import { answerBeforeBody } from "./nodeDrain.js";
import type { NodeExchange } from "./nodeMessage.js";
import { endWithConnection } from "./nodeResponse.js";

/** Prepares a response for a host on node:http: handles an unread request body and a client that has disconnected. */
export function nodeAnswer({ incoming, outgoing }: NodeExchange, request: HttpRequest, response: HttpResponse): HttpResponse | Promise<HttpResponse> {
  const wired = wireResponse(request.method, response);
  if (request.body.kind !== "stream" || incoming.readableEnded) return endWithConnection(outgoing, request, wired);
  const answer = answerBeforeBody(incoming, request, wired);
  if (answer instanceof Promise) return answer.then((drained) => endWithConnection(outgoing, request, drained));
  return endWithConnection(outgoing, request, answer);
}
