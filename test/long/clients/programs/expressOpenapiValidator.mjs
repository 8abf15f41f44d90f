import express from "express";
import { middleware } from "express-openapi-validator";

// A proxy in front of the shop, in which the middleware compares requests and answers with the document. It listens at a free port and prints its address.
const app = express();

app.use(express.json({ type: ["application/json", "application/*+json"], verify: (request, _response, bytes) => (request.bytes = bytes) }));
app.use(middleware({ apiSpec: "./openapi.json", validateRequests: true, validateResponses: true }));
app.use(async (request, response) => {
  const { host, connection, "content-length": length, ...headers } = request.headers;
  if (request.files !== undefined) delete headers["content-type"];
  const body = request.files === undefined ? request.bytes : formOf(request.files);
  const answer = await fetch(`${process.env.SHOP}${request.originalUrl}`, { method: request.method, headers, body });
  response.status(answer.status);
  for (const [name, value] of answer.headers) {
    if (!/^(?:connection|keep-alive|transfer-encoding|content-length|content-encoding)$/.test(name)) response.setHeader(name, value);
  }
  const text = await answer.text();
  // The middleware sees what is sent by `json()`.
  if (text !== "" && /[/+]json/.test(answer.headers.get("content-type") ?? "")) response.json(JSON.parse(text));
  else response.end(text);
});
app.use((error, _request, response, _next) => {
  response.statusCode = error.status ?? 500;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ message: error.message, errors: error.errors }));
});

/** The form again: the middleware has read its files. */
function formOf(files) {
  const form = new FormData();
  for (const { fieldname, originalname, mimetype, buffer } of files) form.set(fieldname, new File([buffer], originalname, { type: mimetype }));
  return form;
}

const server = app.listen(0, "127.0.0.1", () => console.log(`listens at http://127.0.0.1:${server.address().port}`));
