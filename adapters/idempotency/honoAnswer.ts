import type { Context } from "hono";
import type { StatusCode } from "hono/utils/http-status";
import type { HttpResponse } from "../../src/http/message.js";
import { responseBody } from "../fetchMessage.js";
import { capture } from "./capture.js";
import { headersSince } from "./headersSince.js";

/**
 * What the handlers have answered. The response is made anew where its body was read.
 *
 * @param before The headers that stood there before.
 */
export async function honoAnswer(context: Context, before: Headers): Promise<HttpResponse> {
  const { status, headers, body } = context.res;
  const answer = await capture({ status, headers: headersSince(listed(before), listed(headers)), body });
  if (body !== null) context.res = new Response(responseBody(answer.body), { status, headers });
  return answer;
}

/** The headers by name, each cookie by itself. */
function listed(headers: Headers): Record<string, string | string[]> {
  const values: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  return cookies.length === 0 ? values : { ...values, "set-cookie": cookies };
}

/** An answer that the handlers have no part in. */
export function sendAnswer(context: Context, { status, headers, body }: HttpResponse): Response {
  for (const [name, value] of Object.entries(headers)) {
    for (const [index, line] of [value].flat().entries()) context.header(name, line, { append: index > 0 });
  }
  return context.newResponse(responseBody(body), status as StatusCode);
}

/** Another try's answer in the place of the handlers'. */
export function replaceAnswer(context: Context, before: Headers, { status, headers, body }: HttpResponse): void {
  const lines = new Headers(before);
  for (const [name, value] of Object.entries(headers)) {
    lines.delete(name);
    for (const line of [value].flat()) lines.append(name, line);
  }
  // Hono adds the headers of the response that it has to the next one.
  context.res = undefined;
  context.res = new Response(responseBody(body), { status, headers: lines });
}
