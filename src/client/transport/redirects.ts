import { UnexpectedAnswerError } from "../errors.js";
import { NetworkError } from "./transportErrors.js";

const maxRedirects = 10;

/** What browsers may send to another origin: no name of it is the program's own, and they take `Authorization` away themselves. */
const harmless = /^(accept|accept-language|authorization|if-none-match|last-event-id|prefer|x-api-version)$/;

/**
 * Follows the redirects of a GET by hand: credentials and own headers go to the origin of the service alone. Elsewhere, such as a bucket with a signed address, goes a bare
 * request, by the global `fetch`, since one of the program may add credentials.
 *
 * @param response the first answer to the request
 * @throws {NetworkError} after too many redirects, and for one to an address that is not http or https
 * @throws {UnexpectedAnswerError} in browsers, which hide where a redirect leads, if they would send a header of the program there
 */
export async function follow(send: (request: Request) => Promise<Response>, request: Request, response: Response): Promise<Response> {
  if (response.type === "opaqueredirect") {
    const own = [...request.headers.keys()].filter((name) => !harmless.test(name));
    if (own.length > 0) throw new UnexpectedAnswerError(response.status, `a redirect that would take ${own} along`);
    return send(new Request(request, { redirect: "follow" }));
  }
  const { origin } = new URL(request.url);
  let [current, answer] = [request, response];
  for (let hops = 0; hops < maxRedirects; hops += 1) {
    const location = answer.headers.get("location");
    if (!location || !isRedirect(answer)) return answer;
    await answer.body?.cancel();
    const next = new URL(location, current.url);
    if (!/^https?:$/.test(next.protocol)) break;
    const isOwn = next.origin === origin && new URL(current.url).origin === origin;
    current = new Request(next, isOwn ? current : { redirect: "manual", signal: request.signal });
    answer = await (next.origin === origin ? send : fetch)(current);
  }
  throw new NetworkError(`The redirects of ${request.url} lead nowhere.`);
}

/** Whether an answer leads elsewhere. */
function isRedirect({ status }: Response): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
