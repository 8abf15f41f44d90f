import type { Dispatcher } from "undici";

/** Headers of a delivery that is signed elsewhere. */
export function requestOf(signatures: Readonly<Record<string, string>>): Record<string, string> {
  return { "content-type": "application/json", "user-agent": "bench", "accept-encoding": "identity", ...signatures };
}

/** A POST by the least that undici can do. @returns the status, once the body has come to its end */
export function sendBare(dispatcher: Dispatcher, url: URL, signatures: Readonly<Record<string, string>>, body: Buffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let status = 0;
    dispatcher.dispatch(
      { origin: url.origin, path: url.pathname, method: "POST", headers: requestOf(signatures), body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, statusCode) => {
          status = statusCode;
        },
        onResponseData: () => undefined,
        onResponseEnd: () => resolve(status),
        onResponseError: (_controller, error) => reject(error),
      },
    );
  });
}
