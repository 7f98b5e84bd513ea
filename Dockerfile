# Sightline from these sources alone: nothing of ours is fetched, its libraries are, by their hashes
# (docker.lock; what other EXTRAS need besides is not in it).
#   docker build -t sightline .            (--build-arg EXTRAS=postgres,s3,cluster,metrics by default)
FROM python:3.12-slim AS build
WORKDIR /src
COPY pyproject.toml README.md CHANGELOG.md LICENSE ./
COPY vision vision
COPY calibration calibration
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels .

FROM python:3.12-slim
# What OpenCV's wheel takes from the system.
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgl1 libglib2.0-0 \
    && rm -rf /var/lib/apt/lists/*
ARG EXTRAS=postgres,s3,cluster,metrics
COPY docker.lock .
COPY --from=build /wheels /wheels
RUN pip install --no-cache-dir --require-hashes --only-binary :all: -r docker.lock \
    && pip install --no-cache-dir "$(ls /wheels/sightline-*.whl)[${EXTRAS}]" \
    && useradd --create-home sightline \
    && install -d -o sightline /data
USER sightline
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=30s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz')"]
CMD ["sightline", "serve", "--host", "0.0.0.0", "--port", "8000", "--data", "/data", "--no-qr"]
