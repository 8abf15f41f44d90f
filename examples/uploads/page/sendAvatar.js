import { problemText, unreachable } from "./problem.js";

/** Sends a form as the browser would. @returns the file that it had */
export async function sendAvatar(form) {
  const response = await fetch("api/avatars", { method: "POST", body: new FormData(form) }).catch(() => {
    throw new Error(unreachable);
  });
  const text = await response.text();
  if (!response.ok) throw new Error(problemText(response.status, text));
  return JSON.parse(text);
}
