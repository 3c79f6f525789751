'use strict';
/* Zoom and search; the picture is complete without them. A box's full name is the first line of its title. */
const svg = document.documentElement, boxes = [...document.querySelectorAll('g.b')].map(g => {
  const rect = g.querySelector('rect'), text = g.querySelector('text');
  return { g, rect, text, name: g.querySelector('title').textContent.split('\n')[0], x: Number(rect.getAttribute('x')),
           y: Number(rect.getAttribute('y')), width: Number(rect.getAttribute('width')) };
});
const root = boxes[0], label = document.getElementById('found'), SLACK = .01, LETTER = 7.3;

function place(box, x, width, isDim) {
  box.g.style.display = width > .05 ? '' : 'none';
  box.g.style.opacity = isDim ? .55 : '';
  box.rect.setAttribute('x', x);
  box.rect.setAttribute('width', width);
  const letters = Math.floor((width - 6) / LETTER);
  box.text.setAttribute('x', x + 3);
  box.text.textContent = letters < 3 ? '' : box.name.length > letters ? box.name.slice(0, letters - 1) + '…' : box.name;
}

function zoom(to) {
  const scale = root.width / to.width;
  for (const box of boxes) {
    const isAbove = box.y < to.y && box.x <= to.x + SLACK && box.x + box.width >= to.x + to.width - SLACK;
    const isWithin = box.y >= to.y && box.x >= to.x - SLACK && box.x + box.width <= to.x + to.width + SLACK;
    if (isAbove) place(box, root.x, root.width, true);
    else if (isWithin) place(box, root.x + (box.x - to.x) * scale, box.width * scale, false);
    else box.g.style.display = 'none';
  }
}

/* The share of matching boxes; a match that contains another one counts once. */
function search(text) {
  let sum = 0, end = [];
  for (const box of boxes) {
    box.matches = text && box !== root && box.name.toLowerCase().includes(text.toLowerCase());
    box.g.classList.toggle('m', Boolean(box.matches));
  }
  for (const box of boxes.filter(box => box.matches).sort((a, b) => a.y - b.y)) {
    if (end.some(other => box.x >= other.x - SLACK && box.x + box.width <= other.x + other.width + SLACK)) continue;
    end.push(box);
    sum += box.width;
  }
  label.textContent = text ? 'matched ' + (100 * sum / root.width).toFixed(2) + '%' : 'click: zoom, / or click here: search';
}

for (const box of boxes) {
  box.g.addEventListener('click', () => zoom(box));
  box.g.addEventListener('keydown', event => event.key === 'Enter' && zoom(box));
}
label.addEventListener('click', () => search(prompt('search') || ''));
addEventListener('keydown', event => {
  if (event.key === '/') search(prompt('search') || '');
  if (event.key === 'Escape') zoom(root);
});
search('');
