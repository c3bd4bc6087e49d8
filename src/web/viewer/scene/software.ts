/** Renderers that draw without a graphics processor: of Chromium, of Mesa and of Windows. */
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
/** What Chromium says in place of the name, which an extension tells; in Firefox that is deprecated. */
const MASKED = 'WebKit WebGL';

/** Whether the browser draws WebGL without a graphics processor. */
export function drawsInSoftware(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  if (context === null) return false;
  const name = nameOf(context);
  context.getExtension('WEBGL_lose_context')?.loseContext();
  return SOFTWARE.test(name);
}

function nameOf(context: WebGL2RenderingContext): string {
  const told = String(context.getParameter(context.RENDERER));
  const more = told === MASKED ? context.getExtension('WEBGL_debug_renderer_info') : null;
  return more === null ? told : String(context.getParameter(more.UNMASKED_RENDERER_WEBGL));
}
