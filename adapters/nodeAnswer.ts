import type { HttpRequest, HttpResponse } from "../src/http/message.js";
import { answerBeforeBody } from "./nodeDrain.js";
import type { NodeExchange } from "./nodeMessage.js";
import { endWithConnection } from "./nodeResponse.js";
import { wireResponse } from "./response.js";

/** The response as a host on node:http may send it, whatever has been read of the request and whoever is still listening. */
export async function nodeAnswer({ incoming, outgoing }: NodeExchange, request: HttpRequest, response: HttpResponse): Promise<HttpResponse> {
  const wired = wireResponse(request.method, response);
  const answer = request.body.kind === "stream" ? await answerBeforeBody(incoming, request, wired) : wired;
  return endWithConnection(outgoing, request, answer);
}
