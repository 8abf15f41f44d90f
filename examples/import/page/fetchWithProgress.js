/**
 * A `fetch` for the client that tells how much of a file has been sent, which `fetch` itself does not. Only the request with the file is sent by XMLHttpRequest.
 *
 * The file is given beside the request: to read it out of the request would copy it.
 *
 * @param onProgress is called with the bytes sent and the size
 */
export function fetchWithProgress(file, onProgress) {
  const hasFile = ({ method, url }) => method === "POST" && new URL(url).pathname.endsWith("/imports");
  return (request) => (hasFile(request) ? send(request, file, onProgress) : fetch(request));
}

function send({ method, url, headers, signal }, file, onProgress) {
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded, total));
    xhr.addEventListener("load", () => resolve(new Response(xhr.response, { status: xhr.status, headers: headersOf(xhr) })));
    xhr.addEventListener("error", () => reject(new TypeError("The file could not be sent.")));
    xhr.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => xhr.abort());
    xhr.open(method, url);
    xhr.responseType = "blob";
    for (const [name, value] of headers) xhr.setRequestHeader(name, value);
    xhr.send(file);
  });
}

function headersOf(xhr) {
  const lines = xhr.getAllResponseHeaders().trim().split("\r\n");
  return lines.filter(Boolean).map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
}
